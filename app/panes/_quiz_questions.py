"""The questions of the quiz, over all chapters: choices, and numbers that the engine computes."""

from __future__ import annotations

from collections.abc import Callable

from app.article_figures import act_run, albert_sharing
from app.messages import msg
from app.panes._quiz_question import Figure, Question
from app.tour_steps import figured
from ut_engine import coordinates, schedule
from ut_engine import scan as scans
from ut_engine.cost import cost
from ut_engine.design import parameters
from ut_engine.halting import run_table
from ut_engine.presets import preset

COMPARED = ("compare.head", "compare.sheet", "compare.ledger", "compare.sum")
"""How the mixings differ, above where they do."""


def _ticks() -> float:
    rnn, ut = schedule.rnn(24), schedule.universal(24, 6)
    return float(schedule.counters(rnn).ticks - schedule.counters(ut).ticks)


def _count(name: str) -> Callable[[], float]:
    return lambda: float(parameters(preset(name).design))


def _mixed() -> float:
    return float(act_run("hesitant").effective_weights[0].sum())


QUESTIONS: tuple[Question, ...] = (
    Question(
        "shared",
        "grid",
        msg("What does a Universal Transformer share that a Transformer does not?"),
        msg(
            "A Transformer's layer already serves all positions; what is new is that one set of "
            "weights serves every step. Encoder and decoder never share their weights, in either "
            "model."
        ),
        "grid?source=schematic&show=all&m=10&depth=6&scenario=sentence&state=frozen&tick=6",
        (
            ("positions", msg("the weights of its layer, across positions")),
            ("steps", msg("the weights of its layer, across steps")),
            ("sides", msg("one block for encoder and decoder")),
            ("heads", msg("one query matrix for all heads")),
        ),
        "steps",
        {"positions": msg("A Transformer does that, too: its layer is the same at every position.")},
        figure=Figure("grid.deep", 310, ("grid.legend",), folded=820),
    ),
    Question(
        "ticks",
        "grid",
        msg(
            "24 positions: an RNN goes through them one by one, a Universal Transformer runs six "
            "steps. How many more ticks does the RNN need?"
        ),
        msg(
            "An RNN needs one tick per position, here 24; the other model computes all positions "
            "of a step in one tick, here 6."
        ),
        "grid?source=schematic&show=all&m=24&depth=6&scenario=sentence&state=listing2&tick=24",
        number=_ticks,
        slack=0.0,
        shows=("24",),
        figure=Figure("grid.all", 370, folded=960),
    ),
    Question(
        "signal",
        "block",
        msg("Where is the signal of position and step added?"),
        msg(
            "Before every step, to the whole state: the residual branch carries it as well. A "
            "Transformer adds its "
            "position code once, to the embeddings."
        ),
        "block?look=ut.p",
        (
            ("once", msg("to the embeddings, once")),
            ("queries", msg("to queries and keys only")),
            ("every", msg("to the state, before every step")),
            ("end", msg("after the transition")),
        ),
        "every",
        {
            "once": msg(
                "That is the Transformer. With the same weights at every step, nothing would tell "
                "one step from "
                "the next."
            )
        },
        figure=Figure("ut.column", 560, tall=True),
    ),
    Question(
        "base",
        "cost",
        msg(
            "How many parameters does Transformer base have (d = 512, d_ff = 2,048, six layers a "
            "side, 37,000 words, one embedding), counting all biases and norms?"
        ),
        msg("{base}: six pairs of layers, and the embedding table, which is almost a third of it."),
        "cost?preset=transformer-base",
        number=_count("transformer-base"),
        values=figured(base="cost.base.parameters"),
        shows=("63,082,496",),
        figure=Figure("bars", 330, ("cost.shared.form",), fills=False),
    ),
    Question(
        "small",
        "cost",
        msg("One layer now does the work of all six. How many parameters are left?"),
        msg(
            "{small}. The embedding table stays, and one pair of layers instead of six; the work is the same."
        ),
        "cost?preset=ut-small",
        number=_count("ut-small"),
        values=figured(small="cost.small.parameters"),
        shows=("26,300,416",),
        figure=Figure("bars", 330, ("cost.shared.form",), fills=False),
    ),
    Question(
        "work",
        "cost",
        msg(
            "UT base is twice as wide as Transformer base and runs its one layer six times. How many "
            "times base's "
            "work is that, in the blocks?"
        ),
        msg(
            "Twice the width makes every matrix four times as large, and six steps are as many as "
            "six layers: "
            "{work} times. Sharing saves parameters, not work."
        ),
        "cost?preset=ut-base",
        number=lambda: cost(preset("ut-base").design).ratio_macs,
        slack=0.0,
        values=figured(work="cost.ut.work"),
        shows=("67,280,896",),
        figure=Figure("bars", 330, ("cost.d_model.form",), fills=False),
    ),
    Question(
        "softmax",
        "cost",
        msg("And if the softmax projection over the vocabulary is counted as well?"),
        msg(
            "The factor falls to {softmax}: the projection only doubles with the width, while the "
            "blocks grow four "
            "times."
        ),
        "cost?softmax=1",
        (
            ("more", msg("the factor gets larger")),
            ("same", msg("the factor stays")),
            ("less", msg("the factor gets smaller")),
        ),
        "less",
        values=figured(softmax="cost.ut.softmax"),
        shows=("3.398",),
        figure=Figure("work", 300, ("counted.form",), fills=False),
    ),
    Question(
        "albert",
        "cost",
        msg(
            "BERT base has {bert} parameters. How many would sharing its twelve layers leave, "
            "nothing else changed?"
        ),
        msg(
            "About {shared} million. ALBERT base has {albert}; the rest of the difference is its "
            "smaller, factorised "
            "embedding, not the sharing."
        ),
        "cost?preset=albert-base&tab=albert",
        number=albert_sharing,
        slack=0.02,
        values=lambda: {
            **figured(bert="bert.parameters", albert="albert.parameters")(),
            "shared": f"{albert_sharing() / 1e6:.1f}",
        },
        shows=("11,683,584", "31.5"),
        figure=Figure("scatter", 290, ("albert",)),
    ),
    Question(
        "peak",
        "coords",
        msg("d = 512. How long is the signal P where position and step have the same number?"),
        msg("Both sinusoids agree in every channel there: the square root of 2 d, which is {peak}."),
        "coords?m=60&t=6&look=6",
        number=lambda: float(coordinates.norm_at_offset(0, 512)),
        values=figured(peak="coords.peak"),
        shows=("32",),
        figure=Figure("lengths", 320),
    ),
    Question(
        "slide",
        "coords",
        msg(
            "The step goes from t to t + 1. What does the curve of the signal's length over the positions do?"
        ),
        msg(
            "The length depends on i − t alone: the curve moves one position to the right and keeps "
            "its shape."
        ),
        "coords?m=60&t=6",
        (
            ("grows", msg("it rises everywhere")),
            ("slides", msg("it slides, its shape stays")),
            ("flat", msg("it becomes flatter")),
            ("none", msg("nothing: the length is constant")),
        ),
        "slides",
        {"none": msg("That would be so for a position code alone; the sum of two has a hill.")},
        figure=Figure("lengths", 320),
    ),
    Question(
        "steps",
        "scan",
        msg(
            "Parity of every prefix, reading twice as far at each step: how many steps until 400 "
            "bits are settled?"
        ),
        msg(
            "After t steps a position has seen 2 to the t bits, and 2 to the 9 is the first power of "
            "two that is not "
            "below 400: {steps} steps."
        ),
        "scan?n=400&input=ones&step=9",
        number=lambda: float(scans.steps_needed(400)),
        slack=0.0,
        values=figured(steps="scan.steps.400"),
        shows=("400",),
        figure=Figure("grid", 320),
    ),
    Question(
        "six",
        "scan",
        msg(
            "And with six layers, no more: for how many positions, from the first on, is the answer "
            "guaranteed?"
        ),
        msg(
            "2 to the 6 is {six}. That later positions are sometimes right is luck: with 400 ones "
            "{wrong} are wrong."
        ),
        "scan?n=400&input=ones&depth=6&step=6",
        number=lambda: float(scans.settled_prefix(6)),
        slack=0.0,
        values=figured(six="scan.six", wrong="scan.wrong"),
        shows=("64",),
        figure=Figure("grid", 320),
    ),
    Question(
        "blind",
        "scan",
        msg("The same layer without a step signal, 40 bits. When are all of them right?"),
        msg(
            "It can only read its neighbour, every time. What it holds is right after 2 to the k "
            "minus 1 steps, once that reaches the beginning: {plain}, and at no count before."
        ),
        "scan?n=40&seed=1&signal=none&step=63",
        (
            ("6", msg("after 6 steps")),
            ("40", msg("after 40 steps, and from then on")),
            ("63", msg("after 63 steps, and not before")),
            ("never", msg("never")),
        ),
        "63",
        {
            "40": msg(
                "Reading one neighbour more each time would do that, but the layer adds up "
                "everything it holds: "
                "the sums of step 40 are not yet the parities."
            )
        },
        values=figured(plain="scan.plain.40"),
        shows=("63",),
        figure=Figure("by_step", 310),
    ),
    Question(
        "remainder",
        "act",
        msg(
            "A fresh halting unit: bias 1, weights zero, p = {p} at every step. How large is the "
            "remainder of every "
            "position?"
        ),
        msg("The second step would pass 0.99, so it gets what the first one left: 1 − {p} = {r}."),
        "act?source=fresh&line=18",
        number=lambda: float(act_run("fresh").remainders[0]),
        values=figured(p="act.fresh.p", r="act.fresh.r"),
        shows=("0.27",),
        figure=Figure("lanes", 340),
    ),
    Question(
        "least",
        "act",
        msg("What is the smallest ponder cost N + R a position that halts can have?"),
        msg(
            "{least}: a position that halts at its first step has N = 1 and gets all of the "
            "weight as its remainder, R = 1. Many texts say 1."
        ),
        "act?source=sentence&pin=4&panel=pinned&line=9",
        number=lambda: float(run_table([[1.0]]).ponder[0]),
        slack=0.0,
        values=figured(least="act.least"),
        shows=("2.00",),
        figure=Figure("pinned.ledger", 380, ("pinned.stack", "pinned.shares", "pinned.facts"), True, False),
    ),
    Question(
        "halted",
        "act",
        msg("A position has halted. What does the paper's listing 2 do with it in the next step?"),
        msg(
            "It is transformed like all others, and the others go on reading it; its weight is 0, so "
            "its output "
            "stands still: {listing} in the toy. Section 2.2 says the state is copied: {frozen}."
        ),
        "act?source=two-position&panel=compare&line=36&pin=2",
        (
            ("copied", msg("its state is copied unchanged")),
            ("masked", msg("it is hidden from the attention of the others")),
            ("skipped", msg("it is left out, which saves its computation")),
            ("on", msg("its state is transformed on; only its output stands still")),
        ),
        "on",
        {
            "copied": msg(
                "So says section 2.2. The listing does something else, and the two give different outputs."
            )
        },
        values=figured(listing="toy.listing", frozen="toy.frozen"),
        shows=("3.4097", "3.2116"),
        figure=Figure("compare.where", 460, COMPARED, True, False),
    ),
    Question(
        "mixed",
        "act",
        msg(
            "p = 0.05 at each of 12 steps, then the limit. Under listing 2's mixing, how much weight "
            "do the states "
            "have in the output together?"
        ),
        msg(
            "Each step keeps 95 % of what was there, starting from zero: 1 − 0.95 to the 12, {mix}. "
            "The missing part "
            "stays with the zero start, and there is no remainder at the limit."
        ),
        "act?source=hesitant&panel=compare&line=108&pin=1",
        number=_mixed,
        values=figured(mix="act.hesitant.mix"),
        shows=("0.4596",),
        figure=Figure("compare.where", 560, COMPARED, True, False),
    ),
    Question(
        "causes",
        "ponder",
        msg(
            "In the paper's bAbI figures, ponder time grows with the number of supporting facts. "
            "What can the table "
            "not tell apart?"
        ),
        msg(
            "Official stories that need more facts are also longer, so harder questions and longer "
            "stories come "
            "together. Holding the story and swapping the question separates them."
        ),
        "ponder?look=swap&story=1",
        (
            ("length", msg("harder questions from longer stories")),
            ("seed", msg("one seed from another")),
            ("steps", msg("steps from layers")),
            ("words", msg("sentences from words")),
        ),
        "length",
        figure=Figure("control", 270, ("read.text",), fills=False),
    ),
    Question(
        "own",
        "ponder",
        msg(
            "The shipped checkpoint, the same story, a question that needs more facts: whose number "
            "of steps grows?"
        ),
        msg(
            "That of the question's own position: {one}, {two} and {three} steps for 1, 2 and 3 "
            "facts. The mean over "
            "all positions hardly moves: {all1}, {all2}, {all3}."
        ),
        "ponder?look=swap&story=1",
        (
            ("all", msg("that of all positions alike")),
            ("question", msg("the question's own")),
            ("facts", msg("only that of the supporting facts")),
            ("none", msg("none")),
        ),
        "question",
        values=figured(
            one="babi.swap.1",
            two="babi.swap.2",
            three="babi.swap.3",
            all1="babi.swap.all.1",
            all2="babi.swap.all.2",
            all3="babi.swap.all.3",
        ),
        shows=("4.02", "5.78", "7.90", "1.38", "1.43", "1.49"),
        figure=Figure("control", 270, ("read.text",), fills=False),
    ),
    Question(
        "ties",
        "results",
        msg(
            "The paper says its model is ahead in all program evaluation tasks. What does its own table show?"
        ),
        msg(
            "Addition ties: Transformer and Universal Transformer both reach 1.0. On the other two "
            "tasks it is ahead."
        ),
        "results?table=program&column=6",
        (
            ("ahead", msg("it is ahead in all")),
            ("ties", msg("one task is a tie")),
            ("behind", msg("it is behind in one")),
        ),
        "ties",
        figure=Figure("chart.column", 300, ("odd.0", "sheet")),
    ),
    Question(
        "lineage",
        "lineage",
        msg("Which later model shares weights across layers, but does not halt adaptively?"),
        msg(
            "ALBERT uses one layer twelve times to save parameters; its depth stays fixed. "
            "PonderNet is about halting."
        ),
        "lineage?item=albert",
        (
            ("pondernet", msg("PonderNet")),
            ("mod", msg("Mixture-of-Depths")),
            ("albert", msg("ALBERT")),
            ("calm", msg("CALM, early exit")),
        ),
        "albert",
        figure=Figure("time", 300, below=1100, folded=560),
    ),
)
"""In the order of the chapters."""


def question(name: str) -> Question | None:
    return next((one for one in QUESTIONS if one.id == name), None)
