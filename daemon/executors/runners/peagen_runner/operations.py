"""Counts what a Python candidate executes, without time: every block adds the number of syntax nodes that stand in it.

The count does not depend on the machine, on its load or on the version of Python, and costs two to three times the
plain running time. A loop or a function that passes the limit ends the process.
"""
import ast
import importlib.machinery
import sys

COUNT, LIMIT = 0, 1
# Not names that a candidate would choose; their last underscores keep them as they are inside a class.
CELL, TICK, CUT = "__peagen_operations__", "__peagen_tick__", "__peagen_cut__"


class Counter:
    def __init__(self, cut, work, limit):
        self.cell = [0, 1 << 62]
        self.work = work
        self.cut = cut
        self.left = limit
        self.spent = 0

    def start(self):
        self.cell[:] = 0, self.left

    def stop(self):
        cost = self.cell[COUNT]
        self.left -= cost
        self.spent += cost
        return {"cost": cost, "spent": self.spent}

    def namespace(self):
        cell, cut = self.cell, self.cut

        def tick(weight):
            cell[COUNT] += weight
            if cell[COUNT] > cell[LIMIT]:
                cut()
            return True

        return {CELL: cell, TICK: tick, CUT: cut}

    def compile(self, text, path):
        tree = ast.parse(text, path)
        Instrument().visit(tree)
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def install(self):
        """The candidate's other modules are counted too."""
        counter = self

        class Loader(importlib.machinery.SourceFileLoader):
            def source_to_code(self, data, path, *, _optimize=-1):
                return counter.compile(data, path)

            def get_code(self, fullname):
                path = self.get_filename(fullname)
                return self.source_to_code(self.get_data(path), path)

            def exec_module(self, module):
                module.__dict__.update(counter.namespace())
                super().exec_module(module)

        class Finder:
            def find_spec(self, name, path=None, target=None):
                spec = importlib.machinery.PathFinder.find_spec(name, path, target)
                where = getattr(spec, "origin", None)
                if spec is None or not isinstance(where, str) or not where.startswith(self.work) or not where.endswith(".py"):
                    return None
                spec.loader = Loader(spec.name, where)
                return spec

        finder = Finder()
        finder.work = self.work
        sys.meta_path.insert(0, finder)


def weight_of(nodes):
    """Nodes that run once when the block does: not those of blocks, functions and comprehensions inside it."""
    count = 0
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)):
            continue
        count += 1
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            pending.append(node.generators[0].iter)
            continue
        for name, value in ast.iter_fields(node):
            if name in BLOCKS:
                continue
            if isinstance(value, ast.AST):
                pending.append(value)
            elif isinstance(value, list):
                pending.extend(item for item in value if isinstance(item, ast.AST))
    return count


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Instrument(ast.NodeTransformer):
    def block(self, statements, checked, extra=()):
        """`checked` blocks can repeat without end, so they look at the limit."""
        weight = weight_of(statements) + weight_of(extra)
        count = "%s[0] += %d" % (CELL, weight)
        if checked:
            count += "\nif %s[0] > %s[1]: %s()" % (CELL, CELL, CUT)
        added = ast.parse(count).body
        line = statements[0] if statements else None
        for node in added:
            for inner in ast.walk(node):
                if line is not None and "lineno" in inner._attributes:
                    ast.copy_location(inner, line)
        return added + statements

    def generic_visit(self, node):
        super().generic_visit(node)
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.AsyncWith, ast.ExceptHandler, ast.For, ast.AsyncFor, ast.While)) or (
            type(node).__name__ in ("match_case", "TryStar")
        ):
            loop = isinstance(node, (ast.For, ast.AsyncFor, ast.While))
            # The condition of a while runs each time around.
            node.body = self.block(node.body, loop, [node.test] if isinstance(node, ast.While) else ())
            for name in ("orelse", "finalbody"):
                part = getattr(node, name, None)
                # An `elif` stays one: its own condition is counted with the block that holds it.
                if part and not (name == "orelse" and isinstance(node, ast.If) and len(part) == 1 and isinstance(part[0], ast.If)):
                    setattr(node, name, self.block(part, False))
        return node

    def function(self, node):
        super().generic_visit(node)
        first = node.body[0]
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        kept = node.body[:1] if documented else []
        node.body = kept + self.block(node.body[len(kept) :] or [ast.copy_location(ast.Pass(), first)], True)
        return node

    visit_FunctionDef = function
    visit_AsyncFunctionDef = function

    def tick(self, weight):
        return ast.Call(ast.Name(TICK, ast.Load()), [ast.Constant(weight)], [])

    def visit_Lambda(self, node):
        weight = weight_of([node.body])
        super().generic_visit(node)
        node.body = ast.BoolOp(ast.And(), [self.tick(weight), node.body])
        return node

    def comprehension(self, node):
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = parts + [test for generator in node.generators for test in generator.ifs]
        weight = weight_of(inner) + weight_of([generator.iter for generator in node.generators[1:]])
        super().generic_visit(node)
        last = node.generators[-1]
        last.ifs.insert(0, self.tick(weight))
        return node

    visit_ListComp = comprehension
    visit_SetComp = comprehension
    visit_DictComp = comprehension
    visit_GeneratorExp = comprehension
