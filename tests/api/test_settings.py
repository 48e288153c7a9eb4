import dataclasses

import pytest

from api.settings import MODES, Settings, SettingsError


def test_defaults_are_local_and_embedded() -> None:
    settings = Settings.from_env({})
    assert settings.host == "127.0.0.1"
    assert settings.is_loopback()
    assert settings.database_url is None
    assert settings.data_dir.name == "wenci"


def test_the_modes_are_the_segmenters() -> None:
    from segmenter import models

    assert MODES == models.MODES


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings.from_env({}).port = 1  # type: ignore[misc]


def test_empty_variables_count_as_unset() -> None:
    assert Settings.from_env({"WENCI_PORT": "", "WENCI_DATABASE_URL": " "}) == Settings.from_env({})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("WENCI_PORT", "http"),
        ("WENCI_PORT", "65536"),
        ("WENCI_PORT", "-1"),
        ("WENCI_MODE", "magic"),
        ("WENCI_PORT", "８０"),
        ("WENCI_POOL_SIZE", "0"),
        ("WENCI_MAX_BODY_BYTES", "1e6"),
        ("WENCI_MAX_QUERY_CHARACTERS", "99999999999"),
        ("WENCI_DATABASE_URL", "localhost"),
        ("WENCI_USER_DICTIONARY", "/nowhere/words.txt"),
        ("WENCI_CORS_ORIGINS", "https://blog.example/path"),
    ],
)
def test_every_error_names_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        Settings.from_env({variable: value})


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("blog.example", False),
    ],
)
def test_loopback_hosts_are_recognised(host: str, expected: bool) -> None:
    assert Settings.from_env({"WENCI_HOST": host}).is_loopback() is expected


def test_limits_and_lists_are_read() -> None:
    settings = Settings.from_env(
        {"WENCI_MAX_TEXT_CHARACTERS": "7", "WENCI_CORS_ORIGINS": "https://a.example, http://b.example:8080/"}
    )
    assert settings.limits.text_characters == 7
    assert settings.cors_origins == ("https://a.example", "http://b.example:8080")
