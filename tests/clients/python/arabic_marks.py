"""text2tashkeel: LSTMs with 8-bit weights (DynamicQuantizeLSTM) put vowel marks on Arabic.
SPDX-License-Identifier: MIT
"""
import unicodedata

from text2tashkeel import Diacritizer

text = "بسم الله الرحمن الرحيم"
for model, marks in (("rawi-ensemble", 15), ("rawi-v3-int8", 15), ("bilstm-int8", 7)):
    marked = Diacritizer(model).diacritize(text)
    found = sum(unicodedata.combining(c) > 0 for c in marked)
    print(model, marked, found)
    assert "".join(c for c in marked if not unicodedata.combining(c)) == text, "the letters changed"
    assert abs(found - marks) <= 1, f"{found} marks, {marks} expected"
