"""Tables of p as CSV: headers, tokens, separators, and every way to get one wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ut_engine.act_table import Table, parse_table, read_table
from ut_engine.errors import UserError

P = [[0.5, 0.25], [0.125, 1.0]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("0.5,0.25\n0.125,1\n", ("1", "2")),
        ("0.5, 0.25\r\n\r\n 0.125 ,1.0", ("1", "2")),
        ("t1,t2\n0.5,0.25\n0.125,1", ("1", "2")),
        ("john,0.5,0.25\nwent,0.125,1", ("john", "went")),
        ("token,t1,t2\njohn,0.5,0.25\nwent,0.125,1", ("john", "went")),
        ("token,1,2\njohn,0.5,0.25\nwent,0.125,1", ("john", "went")),
        (",1,2\njohn,0.5,0.25\n?,0.125,1", ("john", "?")),
        (",t1,t2\n0,0.5,0.25\n1,0.125,1", ("0", "1")),
        ("position,t1,t2\n1,0.5,0.25\n2,0.125,1", ("1", "2")),
        ("+,0.5,0.25\n1,0.125,1", ("+", "1")),
        ("nan,0.5,0.25\ninf,0.125,1", ("nan", "inf")),
        ('"a, b",0.5,0.25\n"c",0.125,1', ("a, b", "c")),
        ("john\t0.5\t0.25\nwent\t0.125\t1", ("john", "went")),
        ("john;0.5;0.25\nwent;0.125;1", ("john", "went")),
        ("0,5;0,25\n0,125;1", ("1", "2")),
        ("john\t0,5\t0,25\nwent\t0,125\t1", ("john", "went")),
        ("a;b,0.5,0.25\nc,0.125,1", ("a;b", "c")),
        ("0.5  0.25\n0.125 1", ("1", "2")),
        ("\ufeff0.5,0.25\n0.125,1", ("1", "2")),
        ("존,5e-1,.25\n은,1.25e-1,1", ("존", "은")),
    ],
)
def test_headers_and_tokens_are_found(text: str, tokens: tuple[str, ...]) -> None:
    table = parse_table(text)
    assert table.tokens == tokens
    assert table.p.tolist() == P


def test_a_single_row_may_begin_with_its_token() -> None:
    assert parse_table("john,0.5,0.25").tokens == ("john",)
    assert parse_table("0.5").p.tolist() == [[0.5]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\n , \n", "is empty"),
        ("0.5,0.2\n0.5,x", "row 2, column 2 of the table holds 'x'"),
        ("0.5,0.2\nx,0.5", "row 2, column 1 of the table holds 'x'"),
        ("0.5,0.2\n0.5,1.01", "row 2, column 2 of the table holds '1.01'"),
        ("0.5,x\n0.5,0.2", "row 1, column 2 of the table holds 'x'"),
        ("x,0.5\n0.5,0.2", "row 1, column 1 of the table holds 'x'"),
        ("john,0.5,x\nmary,0.5,0.2", "row 1, column 3 of the table holds 'x'"),
        ("t1,t2\n", "row 1, column 2 of the table holds 't2'"),
        ("0.5,0.2\n-0.1,1", "row 2, column 1 of the table holds '-0.1'"),
        ("0.5,0.2\n0.1,nan", "row 2, column 2 of the table holds 'nan'"),
        ("0.5,0.2\n0.1,", "row 2, column 2 of the table is empty"),
        ("token,1,2\njohn,0.5,2", "row 2, column 3 of the table holds '2'"),
        ("\n\n0.5,0.2\n0.5,7", "row 4, column 2 of the table holds '7'"),
        ("1,2,3\n0.1,0.2,0.3", "row 1, column 2 of the table holds '2'"),
        ("0.5,0.2\n0.5", "row 2 of the table has 1 cells, row 1 has 2"),
        ("t1,t2\n0.5,0.2,0.3", "row 2 of the table has 3 cells, row 1 has 2"),
        ("john\nmary", "0 columns"),
        ('0.5,"0.2', "is not CSV"),
        ("0.1," * 1000 + "0.1", "1001 columns"),
        ("<html>\n<body>\n</html>", "0 columns"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_table(text)
    assert said in caught.value.what
    assert "\n" not in str(caught.value)


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    for start in (b"", b"\xef\xbb\xbf"):
        file = tmp_path / "p.csv"
        file.write_bytes(start + "token,t1\n존,0.5\n".encode())
        table = read_table(file)
        assert table.tokens == ("존",)
        np.testing.assert_array_equal(table.p, [[0.5]])


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    binary = tmp_path / "p.csv"
    binary.write_bytes(b"\x89PNG\xff\xfe\x00")
    for path in (binary, tmp_path / "missing.csv", tmp_path):
        with pytest.raises(UserError, match=r"cannot be read|is not text") as caught:
            read_table(path)
        assert str(path) in caught.value.what


def test_a_table_checks_itself() -> None:
    with pytest.raises(ValueError, match="token each"):
        Table(("a",), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="outside"):
        Table(("a",), np.array([[np.nan]]))
