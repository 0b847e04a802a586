"""What evaluator files import of it."""
from .wrap_eval import run_shinka_eval

__all__ = ["run_shinka_eval"]
