"""Runs a folder under a checkout of OpenEvolve with a model that answers at once: `peer.py CHECKOUT FOLDER ITERATIONS WIDTH`.

Writes the milliseconds that the search took to FOLDER/peer.json. Packages that reach models or read configuration files are
replaced by empty ones where they are not installed: nothing here uses them.
"""
import asyncio
import json
import logging
import os
import sys
import time
import types

checkout, folder, iterations, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, checkout)
for name in ("openai", "dacite"):
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
        # A class of any name, for annotations.
        sys.modules[name].__getattr__ = lambda attribute: type(attribute, (), {})

from openevolve.config import Config, LLMModelConfig  # noqa: E402
from openevolve.controller import OpenEvolve  # noqa: E402


class Instant:
    """Returns another program each time, as fast as the others."""

    def __init__(self, _config):
        self.number, self.model = os.getpid(), "instant"

    async def generate(self, _prompt, **_options):
        return self.answer()

    async def generate_with_context(self, system_message, messages, **_options):
        return self.answer()

    def answer(self):
        self.number += 1
        # Whatever the evaluator imports, its program is this one.
        return "```python\ndef step(n):\n    return n + %d - %d\n```" % (self.number, self.number)


def main():
    logging.disable(logging.CRITICAL)
    model = LLMModelConfig(name="instant", init_client=Instant, weight=1.0)
    config = Config(max_iterations=iterations, checkpoint_interval=10**9, diff_based_evolution=False)
    config.llm.models, config.llm.evaluator_models = [model], [model]
    config.evaluator.parallel_evaluations, config.evaluator.cascade_evaluation = width, False
    search = OpenEvolve(
        initial_program_path=os.path.join(folder, "step.py"),
        evaluation_file=os.path.join(folder, "evaluator.py"),
        config=config,
        output_dir=os.path.join(folder, "peer-%d" % iterations),
    )
    start = time.perf_counter()
    asyncio.run(search.run(iterations=iterations))
    wall = time.perf_counter() - start
    evaluated = len(search.database.programs)
    if evaluated < iterations // 2:
        raise SystemExit("Only %d of %d iterations made a program." % (evaluated, iterations))
    with open(os.path.join(folder, "peer.json"), "w", encoding="utf-8") as file:
        json.dump({"wall": 1000 * wall}, file)


main()
