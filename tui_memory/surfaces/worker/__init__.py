"""The one background process of a store: takes events, resolves projects, embeds, compresses; leaves when idle."""
