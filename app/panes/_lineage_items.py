"""The works on the time line: what each shares, what decides its depth, what that costs, and its source.

Facts are those of the papers named, of their public code, or counted by the engine; nothing is typed that the
engine can count.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.messages import Text, msg
from ut_engine.presets import counted

SHARED, HALTING, STACKED = "shared", "halting", "stacked"
LANES = {
    SHARED: (msg("weights shared\nacross depth"), "c1"),
    HALTING: (msg("learned\nhalting"), "c3"),
    STACKED: (msg("separate\nlayers"), "c2"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A paper: authors and year, title, arXiv id."""

    authors: str
    title: str
    arxiv: str


@dataclass(frozen=True, slots=True)
class Item:
    """when: year and its fraction, of the first version on arXiv.  lane: of LANES.

    short: its name on the time line.  counted: presets of the engine, itself and what it is measured against.
    shipped: checkpoints of this program.  families: adapters (of ut_engine.adapters) that open others.
    """

    id: str
    name: Text
    short: Text
    when: float
    years: str
    lane: str
    shares: Text
    depth: Text
    price: Text
    sources: tuple[Source, ...]
    counted: tuple[str, str] | None = None
    shipped: tuple[str, ...] = ()
    families: tuple[str, ...] = ()


BRIEF: dict[str, tuple[Text, Text, Text]] = {
    "neural-gpu": ("Neural GPU", msg("one convolution"), msg("length of the input")),
    "act": ("ACT", msg("one recurrent cell"), msg("halting unit")),
    "transformer": ("Transformer", msg("nothing"), msg("number of layers")),
    "ut": ("Universal Transformer", msg("one block"), msg("steps, or ACT")),
    "albert": ("ALBERT", msg("one layer"), msg("number of layers")),
    "pondernet": ("PonderNet", msg("one step function"), msg("sampled halting")),
    "calm": ("CALM", msg("nothing"), msg("confidence")),
    "mod": ("Mixture-of-Depths", msg("nothing"), msg("router")),
    "looped": (msg("Looped models"), msg("a group of layers"), msg("exit gate, or chosen")),
}
"""Name, what it shares, what decides its depth, in a word or two."""


def counts(name: str) -> tuple[int, int]:
    """(parameters, multiply-adds in the blocks a token or pair) of a preset."""
    found = counted(name)
    return found.parameters, found.macs_per_token


def _millions(number: float) -> str:
    return f"{number / 1e6:.1f}"


def price(item: Item) -> Text:
    """What it costs, with the engine's counts where it has them."""
    if item.counted is None:
        return item.price
    (own, work), (other, usual) = counts(item.counted[0]), counts(item.counted[1])
    if item.id == "albert":
        return msg("{a} M parameters against BERT base's {b} M; part of that is a factorised embedding. "
                   "The work of the layers stays the "
                   "same.", a=_millions(own), b=_millions(other))  # fmt: skip
    if item.id == "ut":
        return msg("What sharing saves can be spent on width: UT base has {a} M parameters, {r} times "
                   "Transformer base's, at {w} times the work in the blocks.", a=_millions(own),
                   r=f"{own / other:.3f}", w=f"{work / usual:g}")  # fmt: skip
    return msg("Parameters and work grow together: base has {a} M, and {w} M multiply-adds in the blocks "
               "for a pair of tokens.", a=_millions(own), w=_millions(work))  # fmt: skip


ITEMS: tuple[Item, ...] = (
    Item(
        "neural-gpu", "Neural GPU", "Neural GPU", 2015.9, "2015", SHARED,
        msg("One gated convolution over the whole memory, the same at every step. While training, several "
            "copies of its weights are allowed at first and pulled together."),
        msg("The length of the input: n symbols take n steps."),
        msg("Parameters do not grow with the length. Work grows with its square: n steps, each "
            "over all n places."),
        (Source("Kaiser, Sutskever 2015", "Neural GPUs Learn Algorithms", "1511.08228"),),
    ),
    Item(
        "act", msg("Adaptive computation time"), "ACT", 2016.25, "2016", HALTING,
        msg("The cell of a recurrent network, run several times on one symbol before it moves on "
            "to the next."),
        msg("A halting unit, for every symbol: it stops once its probabilities add up to 1 − ε. "
            "A ponder cost puts a price on every step."),
        msg("One small extra unit; work as needed."),
        (Source("Graves 2016", "Adaptive Computation Time for Recurrent Neural Networks", "1603.08983"),),
        shipped=("parity-act",),
    ),
    Item(
        "transformer", "Transformer", "Transformer", 2017.45, "2017", STACKED,
        msg("Nothing: every layer has weights of its own."),
        msg("The number of layers, chosen before training; every symbol passes them all."),
        "",
        (Source("Vaswani et al. 2017", "Attention Is All You Need", "1706.03762"),),
        counted=("transformer-base", "transformer-base"), shipped=("parity-transformer",),
    ),
    Item(
        "ut", "Universal Transformer", msg("Universal\nTransformer"), 2018.55, "2018", SHARED,
        msg("All weights of the block over all steps; encoder and decoder have one block each. The step is "
            "told by a signal that is added every time."),
        msg("The number of steps, or ACT for every position by itself."),
        "",
        (Source("Dehghani, Gouws, Vinyals, Uszkoreit, Kaiser 2018", "Universal Transformers", "1807.03819"),),
        counted=("ut-base", "transformer-base"), shipped=("parity-ut", "babi", "addition"),
    ),
    Item(
        "albert", "ALBERT", "ALBERT", 2019.75, "2019", SHARED,
        msg("All weights of the layer, attention and feed-forward alike, over all twelve layers (base)."),
        msg("Fixed before training; there is no step signal and no halting."),
        "",
        (Source("Lan et al. 2019", "ALBERT: A Lite BERT for Self-supervised Learning of Language "
                                   "Representations",
                "1909.11942"),),
        counted=("albert-base", "bert-base"), families=("albert",),
    ),
    Item(
        "pondernet", "PonderNet", "PonderNet", 2021.55, "2021", HALTING,
        msg("A step function of any kind, run again and again."),
        msg("A probability of stopping at every step. The loss weighs each step's own answer by the chance "
            "of stopping there, and that distribution is drawn towards a geometric one. In use the stop is "
            "sampled."),
        msg("As with ACT: the same weights, work as needed. Its authors call ACT unstable and "
            "sensitive to the weight of its cost, and its gradient biased."),
        (Source("Banino, Balaguer, Blundell 2021", "PonderNet: Learning to Ponder", "2107.05407"),),
        families=("ponder",),
    ),
    Item(
        "calm", msg("Early exit: CALM"), "CALM", 2022.55, "2022", STACKED,
        msg("Nothing: a stack of layers as usual."),
        msg("For every generated token, a measure of confidence: once it is high enough, the "
            "remaining layers are skipped."),
        msg("All parameters are needed; work falls on easy tokens, in the authors' tests up to three times "
            "faster."),
        (Source("Schuster et al. 2022", "Confident Adaptive Language Modeling", "2207.07061"),),
    ),
    Item(
        "mod", "Mixture-of-Depths", msg("Mixture-\nof-Depths"), 2024.25, "2024", STACKED,
        msg("Nothing: a stack of layers as usual."),
        msg("A router in front of a layer: only the k tokens of a sequence it scores highest pass, the "
            "others go round it. Which ones is learned, how many is fixed."),
        msg("The same parameters; a share of the work that is known in advance."),
        (Source("Raposo et al. 2024", "Mixture-of-Depths: Dynamically allocating compute in "
                "transformer-based language models", "2404.02258"),),
    ),
    Item(
        "looped", msg("Looped and recurrent-depth language models"), msg("Looped\nmodels"), 2025.35,
        "2024–", SHARED,
        msg("A group of layers, run several times: all 24 of Ouro's 1.4 billion model, four times; in "
            "Huginn four layers between two before and two after them; in MoEUT small groups whose experts "
            "give back what sharing takes."),
        msg("Ouro: an exit gate for every token. Huginn: chosen when it runs, or until the state settles. "
            "MoEUT: fixed."),
        msg("Few parameters, much work: their authors compare Ouro's 1.4 and 2.6 billion parameters with "
            "models of up to 12, Huginn's 3.5 with the work of 50."),
        (Source("Csordás et al. 2024", "MoEUT: Mixture-of-Experts Universal Transformers", "2405.16039"),
         Source("Geiping et al. 2025", "Scaling up Test-Time Compute with Latent Reasoning: A Recurrent "
                "Depth Approach", "2502.05171"),
         Source("Zhu et al. 2025", "Scaling Latent Reasoning via Looped Language Models", "2510.25741")),
        families=("ouro", "huginn", "moeut", "looped"),
    ),
)  # fmt: skip

LINKS: tuple[tuple[str, str], ...] = (
    ("neural-gpu", "ut"), ("act", "ut"), ("transformer", "ut"), ("act", "pondernet"), ("ut", "albert"),
    ("transformer", "calm"), ("ut", "looped"), ("transformer", "mod"),
)  # fmt: skip
"""Which work takes up which."""


def item_of(name: str) -> Item | None:
    return next((item for item in ITEMS if item.id == name), None)


def ends() -> tuple[tuple[Text, tuple[Text, ...]], ...]:
    """(title, points): when sharing pays, and why most large models still stack."""
    (own, work), (other, usual) = counts("transformer-big"), counts("ut-base")
    assert work == usual
    return (
        (
            msg("Sharing pays"),
            (
                msg("where parameters are scarce (small devices, little data) while work is cheap;"),
                msg("where inputs are of uneven difficulty, or longer than those trained on, so that depth "
                    "has to follow the input."),
            ),
        ),
        (
            msg("Most large models still stack"),
            (
                msg("With the same work more parameters usually win: Transformer big does the same work as "
                    "UT base with {r} times its parameters.", r=f"{own / other:.2f}"),
                msg("A shared layer gets parameters back only by being made wider, and work grows with it: "
                    "the ratio of parameters to work that MoEUT names as the obstacle."),
                msg("Halting saves little where many positions run together: a loop ends when the slowest "
                    "has stopped. And learned halting is hard to get right at scale, as Huginn's "
                    "maintainers put it."),
            ),
        ),
    )  # fmt: skip
