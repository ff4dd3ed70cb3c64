"""A game through pygomo-lib, a client of Gomocup brains, to its end; every move must be legal.

Usage: pygomo.py BRAIN   where BRAIN is a program that takes no arguments
"""

import sys

from pygomo import BoardPosition, EngineClient, Move

SIZE = 15


def neighbours(taken):
    """Free points, those beside other stones first: an opponent that makes the game end."""
    free = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in taken]
    return sorted(free, key=lambda p: min(max(abs(p[0] - x), abs(p[1] - y)) for x, y in taken))


def five(stones):
    """Whether the stones contain five in a row."""
    return any(
        all((x + i * dx, y + i * dy) in stones for i in range(5))
        for x, y in stones
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def expect(condition, what):
    if not condition:
        sys.exit(f"pygomo.py: {what}")


def take(result, taken, what):
    """The point of a move that the brain has answered."""
    expect(result is not None, f"no answer to {what}")
    point = result.move.to_tuple()
    expect(all(0 <= c < SIZE for c in point), f"{what}: {point} is off the board")
    expect(point not in taken, f"{what}: {point} is taken")
    return point


def search_info(result, what, lines=1):
    """What the client has read of the search must make sense."""
    expect(len(result.all_info) >= lines, f"{what}: {len(result.all_info)} lines of {lines}")
    for info in result.all_info:
        expect(info.depth > 0 and info.nodes > 0 and info.pv, f"{what}: {info}")
        expect(0 <= info.winrate <= 1, f"{what}: {info}")
    expect(result.search_info.pv[0] == result.move or lines > 1, f"{what}: {result.search_info}")


def main():
    with EngineClient(sys.argv[1]) as engine:
        about = engine.about(timeout=30)
        expect(about and 'name="Tengen"' in about, f"ABOUT: {about}")
        expect(engine.start(SIZE, timeout=30), "START")
        engine.set_rule(0)
        engine.set_time(turn_time_ms=500)
        engine.set_memory(128 << 20)
        engine.set_threads(1)

        result = engine.execute("BEGIN", timeout=60).data
        own, other = {take(result, set(), "BEGIN")}, set()
        search_info(result, "BEGIN")
        while not five(own) and not five(other) and len(own) + len(other) < SIZE * SIZE:
            move = neighbours(own | other)[0]
            other.add(move)
            if five(other):
                break
            result = engine.turn(Move(move), timeout=60)
            own.add(take(result, own | other, "TURN"))
        expect(five(own), "the game against a weak opponent is not won")
        print(f"won after {len(own) + len(other)} moves")

        expect(engine.restart(timeout=30), "RESTART")
        position = BoardPosition()
        for point, owner in (((7, 7), 2), ((8, 8), 1), ((6, 6), 2)):
            position.add_move(Move(point), owner)
        result = engine.board(position, timeout=60)
        last = take(result, {(7, 7), (8, 8), (6, 6)}, "BOARD")
        expect(engine.takeback(Move(last), timeout=30), "TAKEBACK")
        result = engine.nbest(4, timeout=60)
        take(result, {(7, 7), (8, 8), (6, 6)}, "YXNBEST")
        search_info(result, "YXNBEST", 4)
        print(f"four moves: {[str(info) for info in result.all_info]}")

        expect(not engine.start(4, timeout=3), "START 4 must fail")
        expect(engine.is_connected, "the brain is gone")


main()
