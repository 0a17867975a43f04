"""Upkeep: what is said twice, what is no longer true, what is worth its room, and what goes when there is none left."""
