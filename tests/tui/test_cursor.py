from planner.tui.cursor import Block, Cursor


def test_the_cursor_stays_inside() -> None:
    cursor = Cursor(rows=5, columns=3)
    cursor.move(-1, -1)
    assert (cursor.row, cursor.column) == (0, 0)
    cursor.go(99, 99)
    assert (cursor.row, cursor.column) == (4, 2)
    cursor.resize(2, 1)
    assert (cursor.row, cursor.column) == (1, 0)
    cursor.resize(0, 0)
    assert (cursor.row, cursor.column) == (0, 0)


def test_shift_extends_from_where_it_began() -> None:
    cursor = Cursor(rows=9, columns=9, row=4, column=4)
    cursor.move(-2, 1, select=True)
    cursor.move(0, 1, select=True)
    assert cursor.block == Block(2, 4, 4, 6)
    assert (3, 5) in cursor.block
    assert (5, 5) not in cursor.block
    assert len(list(cursor.block)) == 9
    cursor.move(1, 0)
    assert cursor.block.is_one_cell


def test_enter_returns_to_the_column_where_a_run_of_tab_began() -> None:
    cursor = Cursor(rows=9, columns=9, row=1, column=2)
    cursor.tab(1)
    cursor.tab(1)
    assert cursor.column == 4
    cursor.enter(2)
    assert (cursor.row, cursor.column) == (2, 2)
    cursor.tab(1)
    cursor.move(1, 0)
    cursor.enter(5)
    assert cursor.column == 3


def test_select_all() -> None:
    cursor = Cursor(rows=3, columns=2, row=1, column=1)
    cursor.select_all()
    assert cursor.block == Block(0, 0, 2, 1)
