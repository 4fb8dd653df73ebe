"""The paper's tables as this pane shows them: columns, how to read each, what is odd, where it leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from app import paper
from app.messages import Text, msg, nmsg
from app.panes import _results_read as read
from app.paper import Figure

UP, DOWN, NEITHER = "higher", "lower", ""  # which is better


@dataclass(frozen=True, slots=True)
class Column:
    """path: where the figure stands in the file.  name: its title.  digits: as printed."""

    path: tuple[str, ...]
    name: Text
    better: str = UP
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Table:
    """One table.  key: in views.  source: in the file.  chart: the column charted at first.

    read: how to read it.  odd: the paper's own inconsistencies, and what is often told wrong.  links: (name,
    view of a pane).  open: shipped checkpoints that do this task.  none: why nothing was measured here.
    """

    key: str
    source: str
    title: Text
    columns: tuple[Column, ...]
    read: Callable[[], Text]
    odd: Callable[[], tuple[Text, ...]] = lambda: ()
    chart: int = 0
    links: tuple[tuple[Text, str], ...] = ()
    open: tuple[str, ...] = ()
    none: Text = ""
    rows_name: Text = ""

    @property
    def rows(self) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
        return _rows(self.source, tuple(column.path for column in self.columns))


@lru_cache(maxsize=32)
def _rows(source: str, paths: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    return paper.rows(source, paths)


# ---- the tables -------------------------------------------------------------------------------------------


def _pairs(tasks: tuple[tuple[str, Text, Text], ...]) -> tuple[Column, ...]:
    return tuple(
        Column((task, kind), name, UP, 2)
        for task, symbols, whole in tasks
        for kind, name in (("char_acc", symbols), ("seq_acc", whole))
    )


SETS = (
    ("10K_single", msg("10K single")),
    ("10K_joint", msg("10K joint")),
    ("1K_single", msg("1K single")),
    ("1K_joint", msg("1K joint")),
)
COPY, REVERSE, ADDITION = (
    ("copy", msg("copy: symbols"), msg("copy: whole")),
    ("reverse", msg("reverse: symbols"), msg("reverse: whole")),
    ("addition", msg("addition: symbols"), msg("addition: whole")),
)
DOUBLE = ("double", msg("double: symbols"), msg("double: whole"))
PROGRAM = ("program", msg("program: symbols"), msg("program: whole"))
CONTROL = ("control", msg("control: symbols"), msg("control: whole"))
PER_TASK = tuple(Column((key,), name, DOWN, 1) for key, name in SETS)
ATTRACTORS = ("0", "1", "2", "3", "4", "5")

TABLES: tuple[Table, ...] = (
    Table(
        "algorithmic",
        "table4_algorithmic",
        msg("Copy, reverse, addition"),
        _pairs((COPY, REVERSE, ADDITION)),
        read.copy,
        read.copy_odd,
        links=((msg("Why depth must grow with length"), "scan"),),
        open=("addition",),
    ),
    Table(
        "babi",
        "table1_babi",
        msg("bAbI, 20 tasks"),
        tuple(
            Column((key, kind), name, DOWN, digits)
            for key, title in SETS
            for kind, name, digits in (
                ("avg_error_pct", msg("{set}: error", set=title), 2),
                ("failed_tasks_of_20", msg("{set}: failed", set=title), 0),
            )
        ),
        read.babi,
        read.babi_odd,
        links=((msg("What ACT learned"), "ponder?look=babi"),),
        open=("babi",),
        none=msg(
            "The shipped checkpoint knows three of the twenty tasks; its figures are in the tables by task."
        ),
    ),
    Table(
        "best",
        "appendixE_babi_per_task_best_seed",
        msg("bAbI by task, best run"),
        PER_TASK,
        lambda: msg(
            "Error in % of the best of ten runs. With 1K examples by far the largest errors are "
            "at tasks 17 and 19: positions and paths."
        ),
        read.best_odd,
        links=((msg("What ACT learned"), "ponder?look=babi"),),
        open=("babi",),
        chart=3,
        rows_name=msg("task"),
    ),
    Table(
        "mean",
        "appendixE_babi_per_task_mean_over_seeds",
        msg("bAbI by task, ten runs"),
        PER_TASK,
        lambda: msg(
            "Mean error in % over ten runs. The deviation often exceeds the mean: a few runs "
            "fail where the others do not."
        ),
        lambda: (msg("The paper labels its ± as variance; its size suggests the deviation."),),
        links=((msg("What ACT learned"), "ponder?look=babi"),),
        open=("babi",),
        chart=3,
        rows_name=msg("task"),
    ),
    Table(
        "ponder",
        "babi_ponder_time_by_supporting_facts",
        msg("bAbI, ponder time"),
        (Column((), msg("ponder time"), NEITHER, 1),),
        lambda: msg(
            "On questions that need more facts the model ponders longer, averaged over all "
            "positions of all test stories."
        ),
        lambda: (
            msg(
                "The ± is not explained. Longer stories come with more facts, so the averages mix two causes."
            ),
        ),
        links=(
            (msg("Beside what was measured here"), "ponder?look=babi"),
            (msg("Same story, other question"), "ponder?look=swap&story=1"),
        ),
        open=("babi",),
        rows_name=msg("supporting facts"),
    ),
    Table(
        "agreement",
        "table2_subject_verb",
        msg("Subject–verb agreement"),
        (
            *(Column((n,), nmsg("{n} attractor", "{n} attractors", int(n)), UP, 3) for n in ATTRACTORS),
            Column(("Total",), msg("total"), UP, 3),
        ),
        read.agreement,
        read.agreement_odd,
        chart=5,
        none=msg("No shipped checkpoint was trained on this task."),
    ),
    Table(
        "lambada",
        "table3_lambada",
        msg("LAMBADA"),
        (
            *(
                Column(("LM", part, "perplexity"), msg("{set}: ppl", set=name), DOWN, 0)
                for part, name in (("control", msg("control")), ("dev", msg("dev")), ("test", msg("test")))
            ),
            *(
                Column(("LM", part, "accuracy"), msg("{set}: acc.", set=name), UP, 2)
                for part, name in (("control", msg("control")), ("dev", msg("dev")), ("test", msg("test")))
            ),
            *(
                Column(("RC_accuracy", part), msg("{set}: RC", set=name), UP, 4)
                for part, name in (("control", msg("control")), ("dev", msg("dev")), ("test", msg("test")))
            ),
        ),
        read.lambada,
        read.lambada_odd,
        chart=2,
        links=((msg("Steps and perplexity"), "ponder?look=lambada"),),
        none=msg("No shipped checkpoint was trained on this task."),
    ),
    Table(
        "memory",
        "table5_lte_memorization",
        msg("Learning to execute: memory"),
        _pairs((COPY, DOUBLE, REVERSE)),
        read.memory,
        none=msg("No shipped checkpoint was trained on this task."),
    ),
    Table(
        "program",
        "table6_lte_program_evaluation",
        msg("Learning to execute: programs"),
        _pairs((PROGRAM, CONTROL, ADDITION)),
        read.program,
        lambda: (
            msg(
                "The text says that it wins every task by a wide margin; at addition the "
                "Transformer ties at 1.0."
            ),
        ),
        chart=1,
        none=msg("No shipped checkpoint was trained on this task."),
    ),
    Table(
        "translation",
        "table7_wmt14_ende",
        msg("Translation, WMT14 En–De"),
        (Column(("bleu",), msg("BLEU"), UP, 1),),
        read.translation,
        read.translation_odd,
        links=((msg("Parameters and work"), "cost"),),
        none=msg("No shipped checkpoint translates."),
    ),
)
KEYS = tuple(table.key for table in TABLES)


def table(key: str) -> Table:
    return TABLES[KEYS.index(key)]
