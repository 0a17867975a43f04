"""The command line: parse, ask the engine, print. stdout carries data, stderr everything else."""
