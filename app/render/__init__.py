"""Scenes rendered without Qt."""
