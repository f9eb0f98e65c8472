"""piper-tts: an LSTM written as Loop puts marks on Hebrew, an encoder and decoder on Arabic.
SPDX-License-Identifier: MIT
"""
import unicodedata

from piper.hebrew import NakdimonDiacritizer
from piper.tashkeel import TashkeelDiacritizer

for make, text, least in ((TashkeelDiacritizer, "بسم الله الرحمن الرحيم", 10), (NakdimonDiacritizer, "שלום עולם", 4)):
    marked = make()(text)
    found = sum(unicodedata.combining(c) > 0 for c in marked)
    print(marked, found)
    assert found >= least
