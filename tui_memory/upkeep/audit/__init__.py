"""The weekly audit: cases ranked by risk, each with its evidence and a proposed action, and the week's report."""
