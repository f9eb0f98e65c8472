"""brainmaze-eeg-models: convolutions and an LSTM over five minutes of an artificial EEG with one seizure-like minute.
SPDX-License-Identifier: MIT
"""
import numpy as np
from brainmaze_eeg_models.seizure import predict_channel_seizure_probability

rate = 200
rng = np.random.RandomState(0)
x = (rng.randn(rate * 300) * 20).astype(np.float32)
x[rate * 150:rate * 210] += 300 * np.sign(np.sin(2 * np.pi * 3 * np.arange(rate * 60) / rate))
_, p = predict_channel_seizure_probability(x, rate)[:2]
p = np.asarray(p, float)
print(p.shape, np.nanmin(p), np.nanmax(p), np.nanmean(p))
assert p.size == 600 and 0 <= np.nanmin(p) < np.nanmax(p) <= 1.0001
