"""Tests of the model package. A package of its own, so that test files of the same name elsewhere do not get in the way."""
