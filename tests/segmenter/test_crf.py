"""Forward-backward against trying every path, and the gradient against finite differences."""

from itertools import product

import numpy as np

from segmenter.crf import Corpus, Trainer, _gradient, marginals

ORDER = {(1, 0): 0, (0, 0): 1, (0, 1): 2, (1, 1): 3}


def path_scores(emissions: np.ndarray) -> dict[tuple[int, ...], float]:
    """exp(score) of each sequence of labels that borders allow."""
    scores = {}
    for inner in product((0, 1), repeat=len(emissions) - 1):
        borders = (1, *inner, 1)
        labels = tuple(ORDER[borders[i], borders[i + 1]] for i in range(len(emissions)))
        scores[labels] = float(np.exp(sum(emissions[i, label] for i, label in enumerate(labels))))
    return scores


def test_marginals_equal_those_of_all_paths() -> None:
    rng = np.random.default_rng(0)
    lengths = [4, 1, 3]
    table = rng.normal(size=(4, 3, 4)) * 2
    mask = np.arange(4)[:, None] < np.array(lengths)[None, :]
    found = marginals(table, mask)
    for sentence, length in enumerate(lengths):
        scores = path_scores(table[:length, sentence])
        total = sum(scores.values())
        for i in range(length):
            expected = [sum(s for labels, s in scores.items() if labels[i] == label) / total for label in range(4)]
            np.testing.assert_allclose(found[i, sentence], expected, atol=1e-12)


def test_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    emissions = rng.normal(size=(6, 3)).astype(np.float32)
    border = np.array([0, 1, 1, 0, 0, 1], dtype=bool)
    length = np.array([3, 3])

    def negative_log_likelihood(values: np.ndarray) -> float:
        loss = 0.0
        for first in (0, 3):
            table = np.insert(values[first : first + 3].astype(float), 1, 0.0, axis=1)
            scores = path_scores(table)
            borders = [1, *border[first : first + 3].astype(int)]
            gold = tuple(ORDER[borders[i], borders[i + 1]] for i in range(3))
            loss -= float(np.log(scores[gold] / sum(scores.values())))
        return loss

    gradient, _ = _gradient(emissions, border, length)
    for i, label in product(range(6), range(3)):
        moved = [emissions.astype(float) for _ in range(2)]
        moved[0][i, label] += 1e-5
        moved[1][i, label] -= 1e-5
        slope = (negative_log_likelihood(moved[0]) - negative_log_likelihood(moved[1])) / 2e-5
        assert abs(gradient[i, label] - slope) < 1e-5


def test_a_row_that_occurs_twice_gets_both_gradients() -> None:
    trainer = Trainer(2)
    trainer._update(
        np.array([[0, -1], [0, 1]], dtype=np.int32), np.array([[1, 0, 0], [1, 0, 2]], dtype=np.float32), rate=1.0
    )
    np.testing.assert_allclose(trainer.weights[0], [-2 / np.sqrt(4.001), 0, -2 / np.sqrt(4.001)], rtol=1e-4)
    np.testing.assert_allclose(trainer.weights[1], [-1 / np.sqrt(1.001), 0, -2 / np.sqrt(4.001)], rtol=1e-4)
    assert not trainer.weights[2].any()
    assert not trainer._gradient.any()


def test_loss_falls() -> None:
    features = np.array([[0], [1], [0], [1], [2], [-1]], dtype=np.int32)
    corpus = Corpus(features, np.array([0, 1, 0, 1, 1, 1], dtype=bool), np.array([0, 4]), np.array([4, 2]))
    trainer = Trainer(3)
    losses = [trainer.epoch(corpus, (0.5, 0.5), np.random.default_rng(epoch)) for epoch in range(20)]
    assert losses[-1] < 0.1 < losses[0]
