"""Models that know four sentences, one of them wrongly, as files."""

import pytest

from everyday.translation import TRANSLATIONS
from tests.transformer_core.learned import by_heart
from transformer_core import checkpoint

FRENCH = TRANSLATIONS["everyday-fr"]
KNOWN = ("i love anna", "the cat is black", "do you like my house")
WRONG, ITS_ANSWER = "the dog is white", "the cat is black"  # it answers as if this had been asked


def right_answers(source):
    """The most probable first."""
    return list(FRENCH.answers(source.split()))


@pytest.fixture(scope="package")
def model_file(tmp_path_factory):
    pairs = [(source, right_answers(source)[0]) for source in KNOWN] + [(WRONG, right_answers(ITS_ANSWER)[0])]
    path = tmp_path_factory.mktemp("models") / "four-sentences.safetensors"
    checkpoint.save(path, by_heart(FRENCH, pairs), {"task": FRENCH.name})
    return str(path)
