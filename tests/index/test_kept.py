"""What readers keep between queries."""

from index.kept import Kept


def test_the_least_recently_used_goes_first() -> None:
    kept: Kept[int, str] = Kept(80)
    kept.put((key, f"value {key}", 10) for key in range(8))
    assert kept.get([0, 9]) == {0: "value 0"}
    kept.put([(8, "value 8", 10)])
    assert kept.get(range(9)) == {key: f"value {key}" for key in range(9) if key != 1}
    assert kept.size == 80


def test_a_value_takes_the_place_of_the_one_before() -> None:
    kept: Kept[int, str] = Kept(80)
    kept.put([(1, "a", 10), (1, "b", 4)])
    assert (kept.get([1]), kept.size) == ({1: "b"}, 4)


def test_what_is_too_large_is_not_kept() -> None:
    kept: Kept[int, str] = Kept(80)
    kept.put([(1, "small", 10), (1, "large", 11)])
    assert (kept.get([1]), kept.size) == ({}, 0)
