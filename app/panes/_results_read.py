"""How to read each of the paper's tables, and what is odd in it; every number comes out of the tables."""

from __future__ import annotations

from app import paper
from app.messages import Text, msg

BABI_TASKS, FAILED_FROM = 20, 5.0  # tasks; a task counts as failed above this error in %


def value(source: str, row: str, *path: str) -> float:
    """One printed figure."""
    return dict(paper.rows(source, (path,)))[row][0].value


def number(text: float, digits: int = 2) -> str:
    return f"{text:.{digits}f}"


def copy() -> Text:
    table, name = "table4_algorithmic", "Transformer"
    return msg(
        "Trained on {train} symbols, tested on {test}. A Transformer still gets {char} of the symbols "
        "of a copy right and {whole} "
        "of the strings; the Universal Transformer {ut} and {utw}.",
        train=inline("algorithmic_train_length"),
        test=inline("algorithmic_test_length"),
        char=percent(value(table, name, "copy", "char_acc")),
        whole=percent(value(table, name, "copy", "seq_acc")),
        ut=percent(value(table, "Universal Transformer", "copy", "char_acc")),
        utw=percent(value(table, "Universal Transformer", "copy", "seq_acc")),
    )


def inline(name: str) -> int:
    """A number of the paper's running text."""
    return int(paper.tables()["other_inline_numbers"][name])


def percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def copy_odd() -> tuple[Text, ...]:
    return (
        msg(
            "Neural GPU reaches 1.0 with a curriculum of its own: what a model can express is not what "
            "training finds."
        ),
        msg(
            "Positions are given random offsets in training; the paper does not say from which range. "
            "In T2T it is the "
            "length, so at 400 there are still positions that training never showed."
        ),
    )


def babi() -> Text:
    table = "table1_babi"
    return msg(
        "Error in % over 20 tasks, best of 10 runs, smaller is better. With 10,000 examples a task the "
        "Universal Transformer "
        "fails none; the plain Transformer overfitted at every size tried and fails {failed}.",
        failed=number(value(table, "Transformer", "10K_single", "failed_tasks_of_20"), 0),
    )


def least_failed(average: float, failed: int) -> float:
    """The error in % that the failed tasks must have on average, if every other one is just not failed."""
    return (BABI_TASKS * average - (BABI_TASKS - failed) * FAILED_FROM) / failed


def babi_odd() -> tuple[Text, ...]:
    average = value("table1_babi", "Transformer", "1K_single", "avg_error_pct")
    failed = int(value("table1_babi", "Transformer", "1K_single", "failed_tasks_of_20"))
    return (
        msg(
            "Transformer, 1K single: {average} % on average with only {failed} tasks failed "
            "would put those {failed} at {least} % or more on average. This is what is printed.",
            average=number(average, 1),
            failed=failed,
            least=number(least_failed(average, failed), 1),
        ),
        msg(
            "“The gap is largest with 1K” holds, in points, for training on single tasks; jointly it is "
            "larger with 10K."
        ),
    )


def best_odd() -> tuple[Text, ...]:
    table = paper.tables()["appendixE_babi_per_task_best_seed"]
    printed, again = table["avg_err_printed"], table["avg_err_recomputed"]
    return (
        msg(
            "Averages as printed: {printed}; from the rows: {again}. One half is rounded up, the other down.",
            printed=", ".join(f"{printed[name]}" for name in ("10K_joint", "1K_joint")),
            again=", ".join(f"{again[name]}" for name in ("10K_joint", "1K_joint")),
        ),
        msg(
            "They equal the row “UT w/ dynamic halting” of the main table, so this is the model with "
            "ACT; the appendix does not "
            "say so."
        ),
    )


def agreement() -> Text:
    table = "table2_subject_verb"
    return msg(
        "The more nouns of the other number stand between subject and verb, the harder. At five of them "
        "the Universal Transformer "
        "with ACT is at {ut}, the best earlier model at {best}.",
        ut=number(value(table, "UT w/ ACT", "5"), 3),
        best=number(best_earlier("5"), 3),
    )


def best_earlier(column: str) -> float:
    """Best of the models before the paper (its rows "Best ...")."""
    return max(
        figures[0].value
        for name, figures in paper.rows("table2_subject_verb", ((column,),))
        if name.startswith("Best")
    )


def difference(column: str) -> float:
    """UT with ACT less the best earlier model, from the rows."""
    return value("table2_subject_verb", "UT w/ ACT", column) - best_earlier(column)


def printed_difference(column: str) -> float:
    return float(
        paper.tables()["table2_subject_verb"]["delta_UT_ACT_minus_best_as_printed"].get(column, "nan")
    )


def agreement_odd() -> tuple[Text, ...]:
    return (
        msg(
            "At one attractor the paper prints a difference of {printed}; its own rows give {rows}.",
            printed=number(printed_difference("1"), 3),
            rows=number(difference("1"), 3),
        ),
        msg(
            "“All about 0.99” is wrong: the Transformer’s total is {total}.",
            total=number(value("table2_subject_verb", "Transformer", "Total"), 3),
        ),
    )


def lambada() -> Text:
    table = "table3_lambada"
    return msg(
        "Perplexity (ppl), smaller is better; accuracy and reading comprehension (RC), larger. "
        "LSTM and Transformer hold up on the control set and fail where the whole passage "
        "counts: {lstm} and {transformer} on test, against {act} with ACT.",
        lstm=number(value(table, "LSTM", "LM", "test", "perplexity"), 0),
        transformer=number(value(table, "Transformer", "LM", "test", "perplexity"), 0),
        act=number(value(table, "UT w/ dynamic halting", "LM", "test", "perplexity"), 0),
    )


def lambada_odd() -> tuple[Text, ...]:
    table = "table3_lambada"
    six, eight, nine = (
        value(table, f"UT base, {n} steps (fixed)", "LM", "test", "perplexity") for n in (6, 8, 9)
    )
    return (
        msg(
            "The text says that the best fixed model used 6 steps; by this table 8 ({eight}) and 9 "
            "({nine}) beat 6 ({six}).",
            six=number(six, 0),
            eight=number(eight, 0),
            nine=number(nine, 0),
        ),
        msg("That ACT acts as a regulariser is the authors’ reading."),
    )


def memory() -> Text:
    return msg(
        "Strings of up to {most} symbols to repeat once, twice or backwards. The Universal "
        "Transformer is printed at 1.0 throughout; the Transformer gets {whole} of the whole "
        "strings right when copying.",
        most=inline("lte_memorization_max_length"),
        whole=percent(value("table5_lte_memorization", "Transformer", "copy", "seq_acc")),
    )


def program() -> Text:
    return msg(
        "Small programs to run in one’s head: what do they print? Of whole answers the Universal "
        "Transformer gets {ut} right, the Transformer {transformer}, the LSTM {lstm}.",
        ut=percent(value("table6_lte_program_evaluation", "Universal Transformer", "program", "seq_acc")),
        transformer=percent(value("table6_lte_program_evaluation", "Transformer", "program", "seq_acc")),
        lstm=percent(value("table6_lte_program_evaluation", "LSTM", "program", "seq_acc")),
    )


def translation() -> Text:
    table = "table7_wmt14_ende"
    ut = value(table, "Universal Transformer base", "bleu")
    base = value(table, "Transformer base (Vaswani et al., 2017)", "bleu")
    return msg(
        "Translation, BLEU, larger is better: {gain} above the base Transformer, with about its "
        "parameters and four times its "
        "work in the blocks; without ACT.",
        gain=number(ut - base, 1),
    )


def translation_odd() -> tuple[Text, ...]:
    other = paper.tables()["table7_wmt14_ende"]["not_in_this_table"]
    base = other["Transformer base, En-De, Vaswani et al. 2017"]["bleu"]
    big = other["Transformer big, En-De, Vaswani et al. 2017"]["bleu"]
    table = "table7_wmt14_ende"
    return (
        msg(
            "Base’s {printed} is cited to Vaswani et al. 2017, who report {theirs}.",
            theirs=number(base, 1),
            printed=number(value(table, "Transformer base (Vaswani et al., 2017)", "bleu"), 1),
        ),
        msg(
            "“0.5 above Transformer big” mixes two papers: big’s {big} is Vaswani’s; here {big} is "
            "Weighted Transformer.",
            big=number(big, 1),
        ),
        msg(
            "“All base results have the same number of parameters”: nearly. The paper gives no sizes "
            "for small and base."
        ),
    )
