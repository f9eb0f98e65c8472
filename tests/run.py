"""Runs the unittest files of one folder and prints a closing line that the scripts count.
SPDX-License-Identifier: MIT

usage: run.py FOLDER [PATTERN]     PATTERN: only tests whose name contains it
The tests take the module under test from the environment: TENON_MODULE (default tenon).
Exit code 1 when a test failed or none ran. The last line is "N passed, N failed, N skipped".
"""
import os
import sys
import unittest


def each(suite):
    for t in suite:
        if isinstance(t, unittest.TestSuite):
            yield from each(t)
        else:
            yield t


def main():
    folder, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    found = unittest.defaultTestLoader.discover(folder, pattern="test_*.py", top_level_dir=folder)
    tests = unittest.TestSuite(t for t in each(found) if pattern in t.id())
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(tests)
    bad = {t.id() for t, _ in result.failures + result.errors}  # a test with failing subtests counts once
    bad = {name.split(" (")[0] for name in bad}
    skipped = len(result.skipped)
    failed = len(bad) + len(result.unexpectedSuccesses)
    for name in sorted(bad):
        print("FAIL", name)
    passed = max(0, result.testsRun - failed - skipped)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
