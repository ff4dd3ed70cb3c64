#!/usr/bin/env python3
"""Play whole games between two GTP engines inside the real Quarry GUI.

Quarry 0.2.0 (Go, Amazons, Reversi) runs on a private X server (Xvfb) with a
temporary home, driven by key presses (xdotool). Each engine is started by
Quarry through this same script, which copies the dialogue into a log. A small
referee replays the log and decides whether the game was played and ended by
the rules; the game record Quarry saves must agree.

    quarry.py --game othello|amazons --black "CMD" --white "CMD"
              [--seconds-per-move S] [--timeout 300] [--keep DIR]
    quarry.py --register "CMD" [--game othello|amazons] [--timeout 300] [--keep DIR]

The first form plays one game. The second adds the engine in Preferences > GTP
Engines and checks the dialogue and the saved configuration. CMD is split into
words as Quarry splits it: quotes work, there is no shell. Exit status: 0 when
every check passed, 1 when one failed, 2 when the test could not run.

Needs Python 3.8+ on Linux and the Debian packages quarry, xvfb and xdotool.
"""

import argparse
import ctypes
import os
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

COLOURS = ("black", "white")
SETUP_COMMANDS = ["protocol_version", "name", "version", "list_commands", "list_games"]
# How long one step of the GUI may take on a busy machine, and how long to wait
# for a key press to show its effect before pressing again.
GUI_DEADLINE = 90.0
KEY_PATIENCE = 4.0
# How long an engine may live after its input was closed.
EXIT_GRACE = 10.0


class Failure(Exception):
    """A check failed: the engine, or Quarry with it, did something wrong."""


class CannotRun(Exception):
    """The test could not be carried out: a program is missing or does not start."""


def other(colour):
    return "white" if colour == "black" else "black"


# ----------------------------------------------------------------- referees


class Othello:
    """Slow Othello rules. Row 1 is the top row; Black begins; passes are implicit."""

    name, config_name, gtp_name, size = "othello", "Reversi", "Othello", 8
    move_form = re.compile(r"[A-H][1-8]", re.I)

    def __init__(self):
        self.board = {self.square(s): c for s, c in
                      (("D4", "white"), ("E5", "white"), ("E4", "black"), ("D5", "black"))}
        self.to_move = "black"
        self.result = None

    @staticmethod
    def square(text):
        return ord(text[0].upper()) - ord("A"), int(text[1:]) - 1

    def flips(self, colour, square):
        """Discs turned by a move; empty when the move is not legal."""
        if square in self.board:
            return []
        turned = []
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                x, y = square[0] + dx, square[1] + dy
                run = []
                while self.board.get((x, y)) == other(colour):
                    run.append((x, y))
                    x, y = x + dx, y + dy
                if self.board.get((x, y)) == colour:
                    turned += run
        return turned

    def legal_moves(self, colour):
        return ["%s%d" % ("ABCDEFGH"[x], y + 1) for x in range(8) for y in range(8)
                if self.flips(colour, (x, y))]

    def play(self, colour, text):
        """Make a move, then give the turn to the next side that can move."""
        square = self.square(text)
        turned = self.flips(colour, square)
        if colour != self.to_move or not turned:
            raise ValueError("%s %s is not legal" % (colour, text))
        for s in turned + [square]:
            self.board[s] = colour
        if self.legal_moves(other(colour)):
            self.to_move = other(colour)
        elif not self.legal_moves(colour):
            self.to_move = None
            counts = [sum(c == side for c in self.board.values()) for side in COLOURS]
            lead = counts[0] - counts[1]
            self.result = "Draw" if lead == 0 else "%s+%d" % ("B" if lead > 0 else "W", abs(lead))


class Amazons:
    """Slow Amazons rules. Row 1 is the bottom row; the letter I is used; White begins."""

    name, config_name, gtp_name, size = "amazons", "Amazons", "Amazons", 10
    move_form = re.compile(r"([A-J](?:10|[1-9]))-([A-J](?:10|[1-9]))[-/x]([A-J](?:10|[1-9]))", re.I)

    def __init__(self):
        self.board = {}
        for colour, squares in (("white", "A4 D1 G1 J4"), ("black", "A7 D10 G10 J7")):
            for s in squares.split():
                self.board[Othello.square(s)] = colour
        self.to_move = "white"
        self.result = None

    def reach(self, start, vacated=None):
        """Squares a queen on `start` reaches, with `vacated` counted as empty."""
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                x, y = start[0] + dx, start[1] + dy
                while ((dx or dy) and 0 <= x < 10 and 0 <= y < 10
                       and ((x, y) not in self.board or (x, y) == vacated)):
                    yield x, y
                    x, y = x + dx, y + dy

    def legal_moves(self, colour):
        def text(s):
            return "%s%d" % ("ABCDEFGHIJ"[s[0]], s[1] + 1)
        for start in [s for s, c in self.board.items() if c == colour]:
            for to in self.reach(start):
                for arrow in self.reach(to, start):
                    yield "-".join(map(text, (start, to, arrow)))

    def play(self, colour, text):
        start, to, arrow = map(Othello.square, self.move_form.fullmatch(text).groups())
        if (colour != self.to_move or self.board.get(start) != colour
                or to not in self.reach(start) or arrow not in self.reach(to, start)):
            raise ValueError("%s %s is not legal" % (colour, text))
        del self.board[start]
        self.board[to] = colour
        self.board[arrow] = "arrow"
        self.to_move = other(colour)
        if next(self.legal_moves(self.to_move), None) is None:
            self.to_move = None
            self.result = "%s+" % colour[0].upper()


REFEREES = {"othello": Othello, "amazons": Amazons}


# ------------------------------------------------ the wrapper around an engine


def tee(log, label, command):
    """Run an engine between Quarry and a log; never returns.

    Records are single appended writes, `SECONDS LABEL.PID MARK TEXT`, made
    before the line is passed on, so that several wrappers may share one log
    and its order is the order of cause and effect. Marks: `+` started, `>` to
    the engine, `<` from it, `!` its standard error, `-` ended.
    """
    fd = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def record(mark, data):
        text = data.decode("utf-8", "backslashreplace") if isinstance(data, bytes) else data
        text = text.rstrip("\n").replace("\r", "\\r")
        line = "%.3f %s.%d %s %s\n" % (time.monotonic(), label, os.getpid(), mark, text)
        os.write(fd, line.encode("utf-8", "backslashreplace"))

    def forward(source, target, mark):
        for line in iter(source.readline, b""):
            record(mark, line)
            try:
                target.write(line)
                target.flush()
            except OSError:
                pass  # the reader has gone; keep the pipe drained

    record("+", " ".join(map(shlex.quote, command)))
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, preexec_fn=die_with_parent)
    except OSError as error:
        record("-", "cannot start: %s" % error)
        os._exit(127)

    def pump_output():
        errors = threading.Thread(target=forward, args=(child.stderr, sys.stderr.buffer, "!"), daemon=True)
        errors.start()
        forward(child.stdout, sys.stdout.buffer, "<")
        status = child.wait()
        errors.join(1.0)
        record("-", "exit %d%s" % (status, " (killed: alive %.0f s after end of input)" % EXIT_GRACE
                                   if overdue.is_set() else ""))
        os._exit(0)

    overdue = threading.Event()
    output = threading.Thread(target=pump_output, daemon=True)
    output.start()
    forward(sys.stdin.buffer, child.stdin, ">")
    try:
        child.stdin.close()
    except OSError:
        pass
    try:
        child.wait(EXIT_GRACE)
    except subprocess.TimeoutExpired:
        overdue.set()
        child.kill()
    output.join(EXIT_GRACE)
    os._exit(1)


def die_with_parent():
    """In a child before exec: be killed when the parent dies, however it dies."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def kill(how, target, number):
    """Send a signal to something that may be gone already."""
    try:
        how(target, number)
    except ProcessLookupError:
        pass


# ------------------------------------------------------- reading the dialogue


class Stream:
    """The dialogue with one engine process."""

    def __init__(self, label, pid):
        self.label, self.pid = label, pid
        self.commands = []      # every command sent, in order
        self.replies = 0        # how many of them were answered
        self.sent_at = []       # when each command was sent
        self.block = []         # lines of the reply being received
        self.answers = {}       # command -> lines of its latest reply
        self.relayed = 0        # opponent's moves passed on by Quarry
        self.ended = None

    def open(self):
        """Whether a command still waits for its reply."""
        return self.replies < len(self.commands)


class Dialogue:
    """Replays the log of a game (or of a registration, without referee) and checks it."""

    def __init__(self, path, referee=None, seconds=None):
        self.path, self.referee, self.seconds = path, referee, seconds
        self.file, self.tail, self.partial = None, [], ""
        self.streams = {}
        self.moves = []         # (colour, move) in order, as answered to genmove
        self.over = False
        self.resigned = None
        self.last_record = time.monotonic()
        self.slowest = 0.0

    def update(self):
        """Read what is new. Raises Failure at the first thing wrong."""
        if self.file is None:
            if not os.path.exists(self.path):
                return
            self.file = open(self.path, encoding="utf-8", errors="backslashreplace", newline="\n")
        self.partial += self.file.read()
        while "\n" in self.partial:
            line, self.partial = self.partial.split("\n", 1)
            stamp, who, mark, text = line.split(" ", 3)
            label, pid = who.rsplit(".", 1)
            self.tail = self.tail[-39:] + ["%s %s %s" % (label, mark, text)]
            self.last_record = time.monotonic()
            stream = self.streams.setdefault(who, Stream(label, int(pid)))
            if mark == ">":
                self.sent(stream, text, float(stamp))
            elif mark == "<":
                self.received(stream, text, float(stamp))
            elif mark == "-":
                stream.ended = text
                if not self.over:
                    raise Failure("engine %s ended early: %s" % (label, text))

    def sent(self, stream, line, now):
        """Quarry sent a command."""
        words = line.replace("\\r", "").split()
        if not words:
            return
        thinking = self.pending()
        stream.commands.append(" ".join(words))
        stream.sent_at.append(now)
        if self.referee is None:
            if words[0] == "quit":
                self.over = True
            return
        if words[0] == "set_game" and words[1:] != [self.referee.gtp_name]:
            raise Failure("Quarry sent `%s` in a game of %s" % (line, self.referee.gtp_name))
        if words[0] == "boardsize" and words[1:] != [str(self.referee.size)]:
            raise Failure("Quarry sent `%s`, expected %d" % (line, self.referee.size))
        if words[0] == "genmove":
            if words[1:] != [stream.label]:
                raise Failure("the engine for %s was asked `%s`" % (stream.label, line))
            if self.referee.to_move != stream.label:
                raise Failure("`%s` was asked but %s is to move" % (line, self.referee.to_move or "nobody"))
            if thinking:
                raise Failure("`%s` was asked during %s's move" % (line, thinking.label))
            if self.seconds and not stream.commands[-2].startswith("time_left %s " % stream.label):
                raise Failure("no time_left before `%s`" % line)
        if words[0] == "play":
            expected = [m for m in self.moves if m[0] == other(stream.label)][stream.relayed:][:1]
            if [(words[1], words[2].upper())] != expected:
                raise Failure("Quarry relayed `%s` to %s, expected %s" % (line, stream.label, expected))
            stream.relayed += 1

    def received(self, stream, line, now):
        """The engine sent a line; an empty one ends its reply."""
        line = line.replace("\\r", "")
        if line.strip():
            stream.block.append(line)
            if len(stream.commands) == stream.replies:
                raise Failure("%s sent `%s` without being asked" % (stream.label, line))
            if len(stream.block) == 1 and not re.match(r"[=?]([ \t]|$)", stream.block[0]):
                raise Failure("malformed reply of %s to `%s`: `%s`"
                              % (stream.label, stream.commands[stream.replies], line))
            return
        if not stream.block:
            return
        block, stream.block = stream.block, []
        command = stream.commands[stream.replies]
        elapsed = now - stream.sent_at[stream.replies]
        stream.replies += 1
        stream.answers[command] = [block[0][1:].strip()] + [text.rstrip() for text in block[1:]]
        if block[0].startswith("?"):
            raise Failure("error reply of %s to `%s`: %s" % (stream.label, command, "\n".join(block)))
        if self.referee is not None and command.split()[0] == "genmove":
            self.moved(stream, command, block, elapsed)

    def moved(self, stream, command, block, elapsed):
        """The engine answered genmove."""
        self.slowest = max(self.slowest, elapsed)
        move = block[0][1:].strip()
        if len(block) != 1 or len(move.split()) != 1:
            raise Failure("%s answered `%s` with %d lines: %s" % (stream.label, command, len(block), block))
        if self.seconds and elapsed > self.seconds + 0.5:
            raise Failure("%s took %.1f s for %s, allowed %d s" % (stream.label, elapsed, move, self.seconds))
        if move.lower() == "resign":
            self.resigned, self.over = stream.label, True
            self.referee.result = other(stream.label)[0].upper() + "+Resign"
            return
        if not self.referee.move_form.fullmatch(move):
            raise Failure("%s answered `%s` with `%s`, which is no move" % (stream.label, command, move))
        try:
            self.referee.play(stream.label, move)
        except ValueError:
            raise Failure("illegal move %d: %s %s" % (len(self.moves) + 1, stream.label, move))
        # Quarry always writes the arrow of an Amazons move after a hyphen.
        self.moves.append((stream.label, re.sub("[/X]", "-", move.upper())))
        self.over = self.referee.to_move is None

    def pending(self):
        """The engine now thinking about a move, if any."""
        for stream in self.streams.values():
            if any(c.startswith("genmove") for c in stream.commands[stream.replies:]):
                return stream
        return None

    def check_progress(self):
        """Raise Failure when the game stands still for no good reason."""
        quiet = time.monotonic() - self.last_record
        thinking = self.pending()
        if thinking and self.seconds and quiet > self.seconds + 5:
            raise Failure("%s does not answer genmove within %d s" % (thinking.label, self.seconds))
        if not thinking and quiet > 60:
            raise Failure("the game stopped after %d moves with %s to move (slowest move %.1f s)"
                          % (len(self.moves), self.referee.to_move, self.slowest))

    def check_complete(self):
        """After the end: both engines took part and every command was answered."""
        for colour in COLOURS:
            streams = [s for s in self.streams.values() if s.label == colour]
            if len(streams) != 1:
                raise Failure("%d processes were started for %s, expected 1" % (len(streams), colour))
            stream = streams[0]
            asked = sum(c.startswith("genmove") for c in stream.commands)
            if not asked and not self.resigned:
                raise Failure("the engine for %s was never asked for a move" % colour)
            if stream.open():
                raise Failure("%s did not answer `%s`" % (colour, stream.commands[stream.replies]))
            for wanted in SETUP_COMMANDS + ["set_game " + self.referee.gtp_name,
                                            "boardsize %d" % self.referee.size, "clear_board"]:
                if wanted not in stream.commands:
                    raise Failure("Quarry never sent `%s` to %s" % (wanted, colour))
            limits = [c for c in stream.commands if c.startswith("time_settings")]
            if limits != (["time_settings 0 %d 1" % self.seconds] if self.seconds else []):
                raise Failure("unexpected time settings for %s: %s" % (colour, limits))


# ------------------------------------------------------------ driving the GUI


class Desktop:
    """A private X server with Quarry on it, and everything to be cleaned up after it."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.work = tempfile.mkdtemp(prefix="quarry-test-")
        self.home = os.path.join(self.work, "home")
        os.mkdir(self.home)
        self.config = os.path.join(self.home, ".quarry")
        self.log = os.path.join(self.work, "dialogue.log")
        self.stderr = open(os.path.join(self.work, "stderr.log"), "wb")
        self.server = self.quarry = None
        self.dialogue = None    # watched while waiting
        self.strange = {}       # unexpected window -> when first seen
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("XDG_", "GTK", "GDK_", "DBUS_", "WAYLAND_", "LC_", "LANG"))}
        self.env.update(HOME=self.home, LC_ALL="C.UTF-8", NO_AT_BRIDGE="1",
                        PATH=os.environ.get("PATH", "") + ":/usr/games")

    def program(self, name):
        path = shutil.which(name, path=self.env["PATH"])
        if not path:
            raise CannotRun("`%s` is not installed" % name)
        return path

    def spawn(self, command, **options):
        return subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=self.stderr,
                                stderr=self.stderr, start_new_session=True,
                                preexec_fn=die_with_parent, **options)

    def wait(self, what, condition, patience=None):
        """Poll until the condition yields something true and return that.

        With `patience`, give up after so many seconds and return None;
        otherwise raise Failure at the deadline of a GUI step. What the engines
        do wrong meanwhile is a Failure at once.
        """
        end = time.monotonic() + (GUI_DEADLINE if patience is None else patience)
        while True:
            if self.dialogue:
                self.dialogue.update()
            value = condition()
            if value:
                return value
            if self.quarry and self.quarry.poll() is not None:
                if self.dialogue:
                    self.dialogue.update()
                raise Failure("Quarry ended (status %d) while waiting for %s" % (self.quarry.returncode, what))
            if time.monotonic() > self.deadline:
                raise Failure("time is up while waiting for %s" % what)
            if time.monotonic() > end:
                if patience is None:
                    raise Failure("waited in vain for %s" % what)
                return None
            time.sleep(0.1)

    def start_server(self):
        """Start Xvfb on a display number that it chooses itself."""
        read_end, write_end = os.pipe()
        try:
            # Without -noreset the server turns clients away each time the last one leaves.
            self.server = self.spawn(
                [self.program("Xvfb"), "-displayfd", str(write_end), "-screen", "0", "1280x1024x24",
                 "-nolisten", "tcp", "-noreset", "-fbdir", self.work], pass_fds=[write_end])
            os.close(write_end)
            write_end = None
            number = b""
            end = time.monotonic() + GUI_DEADLINE
            while not number.endswith(b"\n"):
                if not select.select([read_end], [], [], max(0, end - time.monotonic()))[0]:
                    raise CannotRun("Xvfb did not start in time")
                data = os.read(read_end, 16)
                if not data:
                    raise CannotRun("Xvfb does not start")
                number += data
        finally:
            os.close(read_end)
            if write_end is not None:
                os.close(write_end)
        self.env["DISPLAY"] = ":" + number.decode().strip()

    def start_quarry(self):
        self.quarry = self.spawn([self.program("quarry"), "--gtp-log=" + os.path.join(self.work, "gtp-log")])
        self.wait("the Quarry Control Center", lambda: self.window("Quarry Control Center"))
        # Keep the pointer where no tooltip can appear.
        self.xdotool("mousemove", "1279", "1023")

    def xdotool(self, *words):
        """Run xdotool; its output, or an empty string if it failed or hung."""
        try:
            done = subprocess.run([self.program("xdotool"), *words], env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""

    def windows(self):
        """Quarry's visible top-level windows: id -> title."""
        ids = self.xdotool("search", "--onlyvisible", "--class", "quarry").split()
        return {i: self.xdotool("getwindowname", i).strip() for i in ids}

    def window(self, title):
        """Id of the newest visible window whose title matches the expression."""
        matching = [i for i, t in self.windows().items() if re.match(title, t)]
        return matching[-1] if matching else None

    def check_windows(self):
        """Raise Failure for a message box or another stranger.

        Quarry gives its message boxes no title; the window titled `Quarry`
        shows the progress of a query and is harmless.
        """
        known = r"Quarry Control Center|Quarry$|New Game|Preferences|New GTP Engine|Save As\.\.\.|.* vs\. "
        now = time.monotonic()
        strangers = {i: t for i, t in self.windows().items() if not re.match(known, t)}
        self.strange = {i: self.strange.get(i, now) for i in strangers}
        for i, since in self.strange.items():
            if now - since > 3:
                raise Failure("Quarry shows a message box (title `%s`); see the screenshot with --keep"
                              % strangers[i])

    def press(self, title, *keys):
        """Press keys in the window with that title, if it is there."""
        window = self.window(title)
        if window:
            self.xdotool("windowfocus", "--sync", window)
            for key in keys:
                self.xdotool("key", "--clearmodifiers", key)

    def enter(self, title, text):
        """Replace the contents of the entry that has the focus in that window."""
        window = self.window(title)
        if window:
            self.xdotool("windowfocus", "--sync", window)
            self.xdotool("key", "--clearmodifiers", "ctrl+a")
            self.xdotool("type", "--delay", "5", text)

    def press_until(self, title, keys, what, condition):
        """Press keys, again and again if need be, until the condition holds."""
        end = time.monotonic() + GUI_DEADLINE
        while True:
            self.press(title, *keys)
            value = self.wait(what, condition, KEY_PATIENCE)
            if value:
                return value
            self.check_windows()
            if time.monotonic() > end:
                raise Failure("keys %s in `%s` do not lead to %s" % ("+".join(keys), title, what))

    def save_record(self):
        """Save the game in Quarry and return the text of the record."""
        for attempt in range(5):
            path = os.path.join(self.work, "game%d.sgf" % attempt)

            def written():
                if not os.path.exists(path):
                    return None
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                return text if text.rstrip().endswith(")") else None

            self.press_until(r".* vs\. ", ["ctrl+shift+s"], "the save dialog",
                             lambda: self.window(r"Save As"))
            end = time.monotonic() + GUI_DEADLINE
            text = None
            while text is None:
                self.press("Save As", "alt+n")
                self.enter("Save As", path)
                self.press("Save As", "Return")
                text = self.wait("the game record", written, KEY_PATIENCE)
                if text is None and time.monotonic() > end:
                    raise Failure("Quarry does not save the game record")
            self.wait("the save dialog to close", lambda: not self.window("Save As"), KEY_PATIENCE)
            if re.search(r"\bRE\[", text):
                return text
            time.sleep(1)  # the last move may still be on its way to Quarry
        raise Failure("Quarry's game record has no result: Quarry does not take the game for over")

    def quit(self):
        """Let Quarry end normally, so that it saves its configuration."""
        end = time.monotonic() + GUI_DEADLINE
        while self.quarry.poll() is None and time.monotonic() < end:
            self.press("Quarry Control Center", "ctrl+q")
            try:
                self.quarry.wait(KEY_PATIENCE)
            except subprocess.TimeoutExpired:
                pass
        if self.quarry.poll() is None:
            raise Failure("Quarry does not quit")

    def screenshot(self, path):
        """Write the screen as PNG, from the dump file that Xvfb keeps up to date."""
        with open(os.path.join(self.work, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        offset, width, height, colours = header[0], header[4], header[5], header[19]
        stride, big_endian = header[12], header[7]
        pixels = data[offset + 12 * colours:]
        red, blue = (1, 3) if big_endian else (2, 0)
        rows = bytearray()
        for y in range(height):
            row = pixels[y * stride:y * stride + 4 * width]
            line = bytearray(3 * width)
            line[0::3], line[1::3], line[2::3] = row[red::4], row[2 if big_endian else 1::4], row[blue::4]
            rows += b"\0" + line
        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0))
                       + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))

    def keep(self, directory):
        """Copy what may help to understand a failure."""
        os.makedirs(directory, exist_ok=True)
        if self.server and self.server.poll() is None:
            try:
                self.screenshot(os.path.join(directory, "screen.png"))
            except (OSError, struct.error, IndexError, ValueError) as error:
                print("quarry: no screenshot: %s" % error, file=sys.stderr)
        names = [n for n in os.listdir(self.work) if not n.startswith(("home", "Xvfb"))]
        for name in names:
            shutil.copy(os.path.join(self.work, name), directory)
        if os.path.exists(self.config):
            shutil.copy(self.config, os.path.join(directory, "quarry.config"))

    def is_wrapper(self, pid):
        """Whether that process is still one of our wrappers."""
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                return self.log.encode() in file.read()
        except OSError:
            return False

    @staticmethod
    def end(process):
        """End one child of ours, by force if it does not want to."""
        if process and process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def close(self, streams=()):
        """End every process of this test and remove its files."""
        self.end(self.quarry)
        if self.quarry:
            # The wrappers see the end of their input and end with their engines.
            alive = [s.pid for s in streams if self.is_wrapper(s.pid)]
            end = time.monotonic() + EXIT_GRACE + 5
            while any(map(self.is_wrapper, alive)) and time.monotonic() < end:
                time.sleep(0.1)
            kill(os.killpg, self.quarry.pid, signal.SIGKILL)
            for pid in filter(self.is_wrapper, alive):
                kill(os.kill, pid, signal.SIGKILL)
        self.end(self.server)
        self.stderr.close()
        shutil.rmtree(self.work, ignore_errors=True)


# ------------------------------------------------------------------ the tests


def wrapped(desktop, label, command):
    """Command line that runs an engine under the wrapper."""
    wrapper = [sys.executable, os.path.abspath(__file__), "--tee", desktop.log, "--label", label, "--"]
    return " ".join(map(shlex.quote, wrapper)) + " " + command


def configuration(desktop, referee, commands, seconds):
    """Text of a ~/.quarry with both engines and the new game filled in."""
    def quoted(text):
        return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')
    lines = []
    for colour in COLOURS:
        name = colour + " engine"
        lines += ["[GTP Engine %s]" % quoted(name),
                  "Screen name format = %s" % quoted(name),
                  "Name = %s" % quoted(name),
                  "Version = %s" % quoted("0"),
                  "Command line = %s" % quoted(wrapped(desktop, colour, commands[colour])),
                  "Supported games = %s" % quoted(referee.config_name), ""]
    lines += ["[New Game Parameters]", "Game = %s" % quoted(referee.config_name)]
    for colour in COLOURS:
        lines += ["%s is computer = true" % colour.capitalize(),
                  "Engine playing %s = %s" % (colour, quoted(colour + " engine"))]
    lines += ["", "[New %s Game Parameters]" % referee.config_name, "Board size = %d" % referee.size]
    if seconds:
        lines += ["Time control type = 2", "Time limit for move = %02d:%02d" % divmod(seconds, 60)]
    else:
        lines += ["Time control type = 0", "Keep track of total time = 0"]
    return "\n".join(lines) + "\n"


def engines_gone(desktop, dialogue):
    """Wait for the engines to end after Quarry closed their input."""
    end = time.monotonic() + EXIT_GRACE + 15
    while any(s.ended is None for s in dialogue.streams.values()):
        if time.monotonic() > end:
            raise Failure("an engine is still running after Quarry ended")
        time.sleep(0.1)
        dialogue.update()
    for stream in dialogue.streams.values():
        if stream.ended != "exit 0":
            raise Failure("engine %s: %s, expected a clean exit at end of input" % (stream.label, stream.ended))


def play_game(desktop, dialogue, options):
    """Play one game; returns the summary."""
    referee = dialogue.referee
    commands = {"black": options.black, "white": options.white}
    with open(desktop.config, "w", encoding="utf-8") as file:
        file.write(configuration(desktop, referee, commands, options.seconds_per_move))
    desktop.start_server()
    desktop.start_quarry()
    desktop.press_until("Quarry Control Center", ["alt+n"], "the New Game dialog",
                        lambda: desktop.window("New Game$"))
    # Page one is filled in: Forward. Page two: Play. Neither key does harm on
    # the other page, so both can be repeated until the board appears.
    desktop.press_until("New Game$", ["alt+f", "alt+p"], "the game window",
                        lambda: desktop.window(r".* vs\. "))
    looked = 0.0

    def over():
        nonlocal looked
        if not dialogue.over and time.monotonic() - looked > 1:
            desktop.check_windows()
            dialogue.check_progress()
            looked = time.monotonic()
        return dialogue.over

    while not desktop.wait("the end of the game (%d moves so far)" % len(dialogue.moves), over, 5):
        pass
    desktop.wait("the last replies", lambda: not any(s.open() for s in dialogue.streams.values()), 15)
    record = desktop.save_record()
    dialogue.update()
    dialogue.check_complete()
    result = re.search(r"\bRE\[([^]]*)\]", record).group(1)
    if result != referee.result:
        raise Failure("Quarry's result is `%s`, the referee's `%s`" % (result, referee.result))
    recorded = len(re.findall(r";\s*[BW]\[", record))
    if recorded != len(dialogue.moves):
        raise Failure("Quarry recorded %d moves, the referee counted %d" % (recorded, len(dialogue.moves)))
    desktop.check_windows()
    desktop.quit()
    engines_gone(desktop, dialogue)
    how = " (%s resigned)" % dialogue.resigned if dialogue.resigned else ""
    return "quarry: %s game of %d moves, result %s%s, no error reply, slowest move %.1f s" % (
        referee.name, len(dialogue.moves), referee.result, how, dialogue.slowest)


def register(desktop, dialogue, options):
    """Add the engine in the preferences; returns the summary."""
    desktop.start_server()
    desktop.start_quarry()
    desktop.press_until("Quarry Control Center", ["alt+n"], "the New Game dialog",
                        lambda: desktop.window("New Game$"))
    desktop.press_until("New Game$", ["alt+e"], "the preferences", lambda: desktop.window("Preferences$"))
    desktop.press_until("Preferences$", ["alt+a"], "the engine dialog",
                        lambda: desktop.window("New GTP Engine$"))
    line = wrapped(desktop, "new", options.register)

    def added():
        desktop.check_windows()
        return not desktop.window("New GTP Engine$")

    # Only type again while nothing was started: the dialog is then still empty or wrong.
    end = time.monotonic() + GUI_DEADLINE
    done = False
    while not done:
        if not dialogue.streams:
            desktop.press("New GTP Engine$", "alt+l")
            desktop.enter("New GTP Engine$", line)
            desktop.press("New GTP Engine$", "alt+a")
        done = desktop.wait("Quarry to query the engine", added, KEY_PATIENCE)
        if not done and time.monotonic() > end:
            raise Failure("Quarry does not finish adding the engine")
    dialogue.update()
    desktop.quit()
    engines_gone(desktop, dialogue)
    streams = list(dialogue.streams.values())
    if len(streams) != 1:
        raise Failure("%d processes were started, expected 1" % len(streams))
    if streams[0].commands != SETUP_COMMANDS + ["quit"]:
        raise Failure("unexpected dialogue: %s" % ", ".join(streams[0].commands))
    if streams[0].replies != len(streams[0].commands):
        raise Failure("`%s` was not answered" % streams[0].commands[streams[0].replies])
    with open(desktop.config, encoding="utf-8") as file:
        sections = re.split(r"^\[", file.read(), flags=re.M)
    name = streams[0].answers["name"][0]
    games = ["Reversi" if g == "Othello" else g for g in streams[0].answers["list_games"]]
    entries = [s for s in sections if s.startswith("GTP Engine") and desktop.log in s]
    if len(entries) != 1:
        raise Failure("%d engines with our command line in the saved configuration" % len(entries))
    saved = re.search(r"^Supported games\s*=\s*(.*)$", entries[0], re.M)
    saved = re.findall(r'"([^"]*)"', saved.group(1)) if saved else []
    if not re.search(r'^Name\s*=\s*"%s"$' % re.escape(name), entries[0], re.M):
        raise Failure("the engine's name `%s` was not saved" % name)
    if saved != games:
        raise Failure("the engine plays %s, Quarry saved %s" % (games, saved))
    wanted = [REFEREES[options.game].config_name] if options.game else ["Reversi", "Amazons"]
    if not (set(wanted) <= set(saved) if options.game else set(wanted) & set(saved)):
        raise Failure("Quarry saved %s, which lacks %s" % (saved, " and ".join(wanted)))
    return "quarry: registered `%s` for %s, no error reply" % (name, ", ".join(saved))


def main():
    if sys.argv[1:2] == ["--tee"]:
        # quarry.py --tee LOG --label NAME -- CMD...
        tee(sys.argv[2], sys.argv[4], sys.argv[6:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--game", choices=sorted(REFEREES))
    parser.add_argument("--black", metavar="CMD", help="engine that plays Black")
    parser.add_argument("--white", metavar="CMD", help="engine that plays White")
    parser.add_argument("--register", metavar="CMD", help="add this engine in the preferences instead")
    parser.add_argument("--seconds-per-move", type=int, metavar="S", help="fixed time per move (default: no limit)")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="for the whole run (default: 300)")
    parser.add_argument("--keep", metavar="DIR", help="copy dialogue, game record, configuration, screenshot there")
    options = parser.parse_args()
    if not options.register and not (options.game and options.black and options.white):
        parser.error("--game, --black and --white are needed, or --register")
    if options.seconds_per_move is not None and not 1 <= options.seconds_per_move <= 3599:
        parser.error("--seconds-per-move must be from 1 to 3599")

    def interrupted(number, frame):
        raise CannotRun("interrupted by signal %d" % number)

    handled = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for number in handled:
        signal.signal(number, interrupted)
    started = time.monotonic()
    desktop = Desktop(started + options.timeout)
    referee = None if options.register else REFEREES[options.game]()
    desktop.dialogue = dialogue = Dialogue(desktop.log, referee, options.seconds_per_move)
    status, message = 1, ""
    try:
        message = (register if options.register else play_game)(desktop, dialogue, options)
        status = 0
        message += " (%.0f s)" % (time.monotonic() - started)
    except Failure as failure:
        message = "quarry: FAILED: %s" % failure
    except CannotRun as reason:
        status, message = 2, "quarry: cannot run: %s" % reason
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_IGN)
        if status:
            try:
                dialogue.update()
            except Failure:
                pass
        if options.keep:
            desktop.keep(options.keep)
        desktop.close(dialogue.streams.values())
    if status and dialogue.tail:
        print("quarry: end of the dialogue:\n  " + "\n  ".join(dialogue.tail[-30:]))
    print(message)
    return status


if __name__ == "__main__":
    sys.exit(main())
