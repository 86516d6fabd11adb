import pytest

from planner.tui.geometry import Geometry


def test_four_scenarios_are_visible_on_80_by_24() -> None:
    geometry = Geometry(79, 21, 7)
    assert geometry.visible == 4
    assert geometry.cell == 13
    assert geometry.label + 4 * geometry.cell == 79
    assert geometry.label <= 80 // 3 + 1
    assert (geometry.header, geometry.pins, geometry.body) == (1, 6, 14)


def test_long_names_take_a_second_line_where_there_are_enough() -> None:
    geometry = Geometry(79, 21, 7, 18)
    assert (geometry.header, geometry.pins, geometry.body) == (2, 6, 13)
    assert geometry.item_at(1, 5) == 0
    assert geometry.item_at(2, 5) == 6
    assert geometry.y_of(6, 5) == 2
    assert geometry.virtual_height(10) == 17
    assert Geometry(79, 21, 7, 11).header == 1
    assert Geometry(79, 15, 7, 18).header == 1


@pytest.mark.parametrize("width", range(40, 240, 7))
@pytest.mark.parametrize("columns", [0, 1, 3, 500])
def test_the_parts_never_take_more_than_there_is(width: int, columns: int) -> None:
    geometry = Geometry(width, 21, columns)
    assert geometry.label + geometry.visible * geometry.cell <= width
    assert geometry.label >= 14
    assert geometry.cell >= 13


@pytest.mark.parametrize("height", range(60))
def test_lines_add_up(height: int) -> None:
    geometry = Geometry(80, height, 3)
    assert geometry.body >= 0
    assert 1 + geometry.body + geometry.pins <= max(1, height)


def test_points_lead_to_cells_and_back() -> None:
    geometry = Geometry(79, 21, 7)
    x, y = geometry.x_of(3, 13), geometry.y_of(9, 4)
    assert geometry.column_at(x, 13) == 3
    assert geometry.column_at(x + geometry.cell - 1, 13) == 3
    assert geometry.item_at(y, 4) == 9
    assert geometry.item_at(0, 4) == 0
    assert geometry.column_at(2, 0) is None
    assert geometry.column_at(79, 200) is None
    assert geometry.item_at(20, 0) is None
    assert geometry.pin_at(20) == 5
    assert geometry.pin_at(1) is None


def test_scrolling_shows_the_whole_cell_and_the_heading_of_the_first_line() -> None:
    geometry = Geometry(79, 21, 7)
    assert geometry.scroll_to_show(5, 0, 0, 0) == (0, 0)
    assert geometry.scroll_to_show(5, 4, 0, 0) == (13, 0)
    assert geometry.scroll_to_show(5, 1, 39, 0) == (13, 0)
    assert geometry.scroll_to_show(15, 0, 0, 0) == (0, 1)
    assert geometry.scroll_to_show(2, 0, 0, 9) == (0, 0)
