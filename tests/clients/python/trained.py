"""skl2onnx and onnxmltools: models of scikit-learn, LightGBM and XGBoost give the labels of the trainer.
SPDX-License-Identifier: MIT
"""
import warnings

import lightgbm
import onnxmltools
import onnxruntime as ort
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn import (datasets, decomposition, ensemble, linear_model, naive_bayes, neighbors, neural_network, pipeline, preprocessing, svm, tree)

warnings.filterwarnings("ignore")
X, y = datasets.load_digits(return_X_y=True)
X = X.astype("f")
NO_ZIPMAP = {linear_model.RidgeClassifier, svm.LinearSVC}  # converters without that option
MODELS = [
    linear_model.LogisticRegression(max_iter=80), linear_model.SGDClassifier(random_state=0), linear_model.RidgeClassifier(),
    ensemble.RandomForestClassifier(30, random_state=0), ensemble.ExtraTreesClassifier(30, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0), ensemble.AdaBoostClassifier(n_estimators=8, random_state=0),
    ensemble.BaggingClassifier(n_estimators=5, random_state=0), svm.LinearSVC(max_iter=300), svm.SVC(), neighbors.KNeighborsClassifier(),
    neural_network.MLPClassifier(32, max_iter=40, random_state=0), naive_bayes.GaussianNB(), naive_bayes.MultinomialNB(),
    naive_bayes.BernoulliNB(), tree.DecisionTreeClassifier(random_state=0),
    pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(20), linear_model.LogisticRegression(max_iter=80)),
    pipeline.make_pipeline(preprocessing.MinMaxScaler(), preprocessing.Binarizer(threshold=.4), naive_bayes.BernoulliNB()),
]
bad = []


def compare(model, converted):
    s = ort.InferenceSession(converted.SerializeToString(), providers=["CPUExecutionProvider"])
    labels = s.run(None, {s.get_inputs()[0].name: X})[0]
    agree = float((labels.ravel() == model.predict(X).ravel()).mean())
    print(f"{agree:.4f} {type(model).__name__}")
    if agree < 0.995:
        bad.append(type(model).__name__)


for m in MODELS:
    m.fit(X, y)
    compare(m, to_onnx(m, X[:1], options=None if type(m) in NO_ZIPMAP else {id(m): {"zipmap": False}}))
inputs = [("x", FloatTensorType([None, 64]))]
m = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1).fit(X, y)
compare(m, onnxmltools.convert_lightgbm(m, initial_types=inputs, zipmap=False, target_opset=15))
m = xgboost.XGBClassifier(n_estimators=10, n_jobs=1).fit(X, y)
compare(m, onnxmltools.convert_xgboost(m, initial_types=inputs, target_opset=15))
assert not bad, bad
