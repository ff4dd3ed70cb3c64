#!/usr/bin/env python3
"""Compare the rules of a UCI front with those of Fairy-Stockfish over random games.

    pyffish_rules.py --adapter "CMD" [--games N] [--seed S]

CMD starts the front. For N random games, half of flipello and half of amazons
(and a few of flipello10 besides), the set of legal moves, in the front's own
notation (`go perft 1`), must equal that of pyffish at every ply, the end of
the game included. At every fourth ply the position is sent as a FEN instead of
the moves, and the FEN that the front shows (`d`) must say the same as pyffish's.
Exit status: 0 when everything agreed, 1 when something did not, 2 when the
test could not run.

Needs the PyPI package pyffish (Fairy-Stockfish's own library).
"""

import argparse
import concurrent.futures
import random
import shlex
import subprocess
import sys
import time

try:
    import pyffish
except ImportError as error:
    print(f"pyffish_rules.py: {error}", file=sys.stderr)
    sys.exit(2)


class Disagreement(Exception):
    """The front and pyffish do not say the same."""


class Front:
    """The front as a process."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.tell("uci")
        while self.line() != "uciok":
            pass

    def tell(self, *lines):
        self.process.stdin.write(("\n".join(lines) + "\n").encode())
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise Disagreement("the front has gone")
        return line.decode().rstrip("\n")

    def moves(self):
        """The moves of a `go perft 1`."""
        moves = []
        while True:
            line = self.line()
            if line.startswith("info string"):
                raise Disagreement(line)
            if line.startswith("Nodes searched: "):
                if int(line[16:]) != len(moves):
                    raise Disagreement(f"{len(moves)} moves, but {line}")
                self.line()
                return moves
            if line.endswith(": 1"):
                moves.append(line[:-3])

    def fen(self):
        """The position of a `d`."""
        while True:
            line = self.line()
            if line.startswith("Fen: "):
                self.line()
                return line[5:]

    def close(self):
        self.tell("quit")
        self.process.stdin.close()
        if self.process.wait(10) != 0:
            raise Disagreement(f"the front ended with status {self.process.returncode}")


def comparable(fen):
    """Board, discs in hand and side to move."""
    board, side = fen.split()[:2]
    board, _, hand = board.partition("[")
    return board, hand.count("P"), hand.count("p"), side


def play(front, variant, rng):
    """One random game. Gives the number of positions compared, and of passes."""
    start = pyffish.start_fen(variant)
    played, passes, passed = [], 0, False
    while True:
        expected = pyffish.legal_moves(variant, start, played)
        position = "position startpos" + (" moves " if played else "") + " ".join(played)
        fen = None
        if len(played) % 4 == 0:
            fen = pyffish.get_fen(variant, start, played)
            # Two passes running end the game, and a FEN does not tell of them.
            if not passed:
                position = "position fen " + fen
        front.tell(position, "go perft 1")
        found = front.moves()
        if sorted(found) != sorted(expected):
            missing, extra = set(expected) - set(found), set(found) - set(expected)
            raise Disagreement(
                f"{variant}: {position}: missing {sorted(missing)[:9]}, extra {sorted(extra)[:9]}"
            )
        if fen is not None:
            front.tell("d")
            shown = front.fen()
            if comparable(shown) != comparable(fen):
                raise Disagreement(f"{variant}: {position}: {shown}, not {fen}")
        if not expected:
            return len(played) + 1, passes
        move = rng.choice(sorted(expected))
        passed = variant.startswith("flipello") and "@" not in move
        passes += passed
        played.append(move)


def compare(variant, games, adapter, seed):
    """Random games of one variant. Gives a line for the user."""
    begun = time.monotonic()
    rng = random.Random(f"{variant} {seed}")
    front = Front(adapter)
    front.tell(f"setoption name UCI_Variant value {variant}", "ucinewgame")
    positions = passes = 0
    for _ in range(games):
        counted = play(front, variant, rng)
        positions, passes = positions + counted[0], passes + counted[1]
    front.close()
    spent = time.monotonic() - begun
    return f"{variant}: {games} games, {positions} positions, {passes} passes agree ({spent:.1f} s)"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--adapter", required=True)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    half = arguments.games // 2
    # Those of Amazons take longest, and are shared out.
    wanted = [
        ("amazons", half // 2),
        ("amazons", half - half // 2),
        ("flipello", half),
        ("flipello10", half // 20),
    ]
    missing = {variant for variant, _ in wanted} - set(pyffish.variants())
    if missing:
        print(f"pyffish_rules.py: this pyffish has no {missing}", file=sys.stderr)
        sys.exit(2)
    # A process each: pyffish takes most of the time, and runs on one processor.
    with concurrent.futures.ProcessPoolExecutor() as pool:
        compared = [
            pool.submit(compare, variant, games, arguments.adapter, f"{arguments.seed} {number}")
            for number, (variant, games) in enumerate(wanted)
        ]
        try:
            for result in compared:
                print(result.result())
        except Disagreement as error:
            print(f"pyffish_rules.py: {error}", file=sys.stderr)
            sys.exit(1)


if __name__ == "__main__":
    main()
