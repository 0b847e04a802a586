"""Runs somebody else's evaluator file, unmodified, on one program: see peagen_apart/evaluation.py, which is kept compiled."""
from peagen_apart.evaluation import main

if __name__ == "__main__":
    main()
