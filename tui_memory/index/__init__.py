"""From version texts to searchable vectors: embedders, chunks, the exact FAISS index."""
