"""Guided tours: lessons as data, to be stepped through, alone or before a class."""

from __future__ import annotations

from collections.abc import Mapping

from app import commands
from app.messages import msg
from app.tour_steps import BABI, Step, Tour, Values, figured

TITLES = dict(commands.TOURS)
POSITION = 9  # of the sentence: the one that hesitates longest

# ---- what is shared ---------------------------------------------------------------------------------------

GRID = "grid?source=schematic&m=10&depth=6&scenario=sentence&state=listing2"
SHARED = Tour(
    "shared",
    TITLES["shared"],
    (
        Step(
            f"{GRID}&show=transformer&tick=6",
            msg(
                "A Transformer: one row a tick, and every row has a colour of its own, because "
                "every layer has "
                "weights of its own."
            ),
        ),
        Step(
            f"{GRID}&show=ut&tick=6",
            msg(
                "The same rows in one colour: the Universal Transformer runs one set of weights "
                "again and again."
            ),
        ),
        Step(
            f"{GRID}&show=rnn&tick=10",
            msg("An RNN shares its weights too, but along the sequence: ten positions are ten ticks."),
        ),
        Step(
            "block?look=ut.self",
            msg("Side by side, the first difference: the weights of the block carry no number of a layer."),
        ),
        Step(
            "block?look=ut.p",
            msg(
                "The second: the coordinates of position and step are added again before every "
                "step, so the same "
                "weights can act differently."
            ),
        ),
        Step(
            "block?look=ut.tr",
            msg(
                "The third: the transition is a choice. It is shared across positions, as in a "
                "Transformer, and "
                "across steps besides."
            ),
        ),
        Step(
            "cost?preset=ut-small",
            msg(
                "What sharing saves: {small} parameters where Transformer base has {base}, at the same work."
            ),
            figured(small="cost.small.parameters", base="cost.base.parameters"),
        ),
    ),
)

# ---- parameters and work ----------------------------------------------------------------------------------

APART = Tour(
    "apart",
    TITLES["apart"],
    (
        Step(
            "cost?preset=transformer-base",
            msg("Transformer base: six layers, {base} parameters. Depth buys parameters and work together."),
            figured(base="cost.base.parameters"),
        ),
        Step(
            "cost?preset=ut-small",
            msg(
                "One layer six times: {small} parameters, and exactly the same work. Sharing has "
                "taken the two "
                "apart."
            ),
            figured(small="cost.small.parameters"),
        ),
        Step(
            "cost?preset=ut-base",
            msg(
                "UT base spends the saving on width: {ratio} times base's parameters, {work} times its work."
            ),
            figured(ratio="cost.ut.ratio", work="cost.ut.work"),
        ),
        Step(
            "cost?softmax=1",
            msg(
                "Count the softmax projection as well, and the factor is {softmax}. Always ask "
                "what was counted."
            ),
            figured(softmax="cost.ut.softmax"),
        ),
        Step(
            "cost?tab=width",
            msg(
                "The same number of parameters as base would need a width of {width}, and "
                "{whole} cannot be split into 8 heads."
            ),
            figured(width="cost.width", whole="cost.width.whole"),
        ),
        Step(
            "cost?preset=transformer-big",
            msg(
                "Transformer big does the same work as UT base, with {big} times the parameters: "
                "the other way to "
                "spend it."
            ),
            figured(big="cost.big.ratio"),
        ),
        Step(
            "cost?preset=albert-base&tab=albert",
            msg(
                "ALBERT shares for the parameters alone: {albert} where BERT base has {bert}. The work stays."
            ),
            figured(albert="albert.parameters", bert="bert.parameters"),
        ),
    ),
)

# ---- depth and length -------------------------------------------------------------------------------------

DEPTH = Tour(
    "depth",
    TITLES["depth"],
    (
        Step(
            "scan?n=40&seed=1&step=1",
            msg(
                "Every position asks for the parity of all bits up to it. In step 1 each reads its neighbour."
            ),
        ),
        Step(
            "scan?n=40&seed=1&step=3",
            msg("The distance doubles with every step: after step 3 a position has seen eight bits."),
        ),
        Step(
            "scan?n=40&seed=1&step=6",
            msg("After {steps} steps all forty are settled, whatever the bits are."),
            figured(steps="scan.steps.40"),
        ),
        Step(
            "scan?n=400&input=ones&depth=6&step=6",
            msg(
                "Six fixed layers and four hundred ones: only the first {six} are guaranteed, "
                "{wrong} are wrong."
            ),
            figured(six="scan.six", wrong="scan.wrong"),
        ),
        Step(
            "scan?n=400&input=ones&step=9",
            msg(
                "Let it run {steps} steps and all are right. A longer input needs more depth, "
                "not other weights."
            ),
            figured(steps="scan.steps.400"),
        ),
        Step(
            "scan?n=40&seed=1&signal=none&step=6",
            msg(
                "Without a step signal the layer cannot double: it does the same thing every "
                "time and needs "
                "{plain} steps."
            ),
            figured(plain="scan.plain.40"),
        ),
        Step(
            "scan?tab=learned",
            msg(
                "What training finds is humbler: with as many steps as positions, {ut} right at "
                "80 bits; held at {steps} steps, {held}."
            ),
            figured(ut="parity.ut.80", steps="parity.fixed.steps", held="parity.fixed.80"),
        ),
    ),
)

# ---- one position under ACT -------------------------------------------------------------------------------


def life() -> Mapping[str, str]:
    """The numbers of the position that hesitates."""
    from app.article_figures import act_run

    run, row = act_run("sentence"), POSITION - 1
    n = int(run.n_updates[row])
    before = float(run.p[row, : n - 1].sum())
    return {
        "token": run.tokens[row],
        "position": str(POSITION),
        "p": f"{run.p[row, 0]:.2f}",
        "three": f"{run.p[row, :3].sum():.2f}",
        "before": f"{before:.2f}",
        "last": f"{run.p[row, n - 1]:.2f}",
        "theta": f"{1 - run.epsilon:g}",
        "remainder": f"{run.remainders[row]:.2f}",
        "n": str(n),
        "cost": f"{run.ponder[row]:.2f}",
        "first": run.tokens[int(run.n_updates.argmin())],
    }


def _life(*names: str) -> Values:
    return lambda: {name: life()[name] for name in names}


def _line(step: int, line: int) -> str:
    return f"act?source=sentence&mixing=basic&state=listing2&pin={POSITION}&line={9 * (step - 1) + line}"


LIFE = Tour(
    "life",
    TITLES["life"],
    (
        Step(
            _line(1, 1),
            msg(
                "Position {position}, “{token}”, is pinned. Line 1 asks who still runs: "
                "everyone, nothing has been "
                "added up yet."
            ),
            _life("position", "token"),
        ),
        Step(
            _line(1, 9),
            msg("After step 1 it has p = {p}. “{first}” was sure at once and has halted already."),
            _life("p", "first"),
        ),
        Step(
            _line(3, 9),
            msg(
                "After three steps its probabilities add up to {three}. Most others have halted; "
                "it hesitates."
            ),
            _life("three"),
        ),
        Step(
            _line(5, 9),
            msg("{before} after five steps, still below the threshold {theta}: one more step."),
            _life("before", "theta"),
        ),
        Step(
            _line(6, 2),
            msg("Step {n}, line 2: with p = {last} the sum would pass {theta}, so it halts now."),
            _life("n", "last", "theta"),
        ),
        Step(
            _line(6, 5),
            msg("Line 5: instead of p it gets what is missing to 1, the remainder R = {remainder}."),
            _life("remainder"),
        ),
        Step(
            _line(6, 9),
            msg("Its output is settled: N = {n} updates, and its cost is N + R = {cost}."),
            _life("n", "cost"),
        ),
        Step(
            "act?source=two-position&panel=compare&line=36&pin=2",
            msg(
                "And a halted state? By the listing it goes on changing, by section 2.2 it is "
                "frozen: {listing} "
                "against {frozen}."
            ),
            figured(listing="toy.listing", frozen="toy.frozen"),
        ),
    ),
)

# ---- attention --------------------------------------------------------------------------------------------

SHARPEN = Tour(
    "sharpen",
    TITLES["sharpen"],
    (
        Step(
            "step=1",
            msg(
                "A question that needs two facts, in the shipped checkpoint. In step 1 its row "
                "reads a little of "
                "everything."
            ),
            checkpoint=BABI,
        ),
        Step(
            "step=2",
            msg("Step 2: the row begins to prefer the sentences about the thing that is asked for."),
            checkpoint=BABI,
        ),
        Step(
            "step=4",
            msg(
                "Step 4: most of this head's weight lies on the two supporting facts. Over 500 "
                "such stories it is "
                "{mass}."
            ),
            figured(mass="babi.mass"),
            BABI,
        ),
        Step(
            "step=4&panel=sharpening",
            msg("The curve says it in one number: the entropy falls from {first} to {least} on average."),
            figured(first="babi.entropy.first", least="babi.entropy.least"),
            BABI,
        ),
        Step(
            "step=6",
            msg(
                "Where the question runs on, attention broadens again: the answer is in the "
                "state, there is nothing "
                "left to look for."
            ),
            checkpoint=BABI,
        ),
        Step(
            "ponder?look=story&sample=8&hidden=onwards&head=3",
            msg("Does it matter? Hide each fact from a step onwards and see whether the answer changes."),
        ),
    ),
)

TOURS: tuple[Tour, ...] = (SHARED, APART, DEPTH, LIFE, SHARPEN)


def tour(name: str) -> Tour | None:
    return next((one for one in TOURS if one.id == name), None)
