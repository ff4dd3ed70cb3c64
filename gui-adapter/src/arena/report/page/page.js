'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const { engines, boards, games } = data;
  const byNumber = new Map(games.map((game, index) => [game.n, index]));
  const $ = (id) => document.getElementById(id);
  const STEP = 200;

  // Texts of engines are only ever set as text.
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const svg = (name, attributes, text) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // ---------------------------------------------------------------- list

  let found = [];
  let listed = 0;

  const outcome = (game) =>
    game.w === 'd' ? 'draw' : /\+[^1]|\+1\d/.test(game.r) ? game.r : game.w === 'b' ? 'Black' : 'White';
  const points = (game, engine) => {
    if (game.w === 'd') return '=';
    return game.p[game.w === 'b' ? 0 : 1] === engine ? '+' : '-';
  };

  function filter() {
    const engine = $('engine').value === '' ? -1 : Number($('engine').value);
    const opponent = $('opponent').value === '' ? -1 : Number($('opponent').value);
    const result = $('result').value;
    found = [];
    games.forEach((game, index) => {
      if (engine >= 0 && !game.p.includes(engine)) return;
      if (opponent >= 0 && !game.p.includes(opponent)) return;
      if (result === 'f' && !game.f) return;
      if ((result === 'b' || result === 'w') && game.w !== result) return;
      if (result === '=' && game.w !== 'd') return;
      if (result === '+' || result === '-') {
        // Without an engine the one with Black is meant.
        const seen = engine >= 0 ? engine : opponent >= 0 ? game.p.find((p) => p !== opponent) : game.p[0];
        if (points(game, seen) !== result) return;
      }
      found.push(index);
    });
    $('count').textContent = found.length + ' of ' + games.length + ' games';
    listed = 0;
    $('list').tBodies[0].replaceChildren();
    more();
  }

  function more() {
    const rows = document.createDocumentFragment();
    for (const index of found.slice(listed, listed + STEP)) {
      const game = games[index];
      const row = element('tr');
      row.dataset.game = index;
      const link = element('a', game.n);
      link.href = '#g=' + game.n;
      row.append(element('td'));
      row.lastChild.append(link);
      row.append(element('td', engines[game.p[0]], game.w === 'b' ? 'won' : ''));
      row.append(element('td', engines[game.p[1]], game.w === 'w' ? 'won' : ''));
      row.append(element('td', game.o));
      row.append(element('td', outcome(game)));
      row.append(element('td', game.y, game.f ? 'forfeit' : ''));
      row.lastChild.title = game.e + ': ' + game.y;
      row.append(element('td', game.l));
      rows.append(row);
    }
    listed = Math.min(found.length, listed + STEP);
    $('list').tBodies[0].append(rows);
    $('more').hidden = listed >= found.length;
    mark();
  }

  function mark() {
    for (const row of $('list').tBodies[0].rows) {
      row.classList.toggle('shown', shown !== null && Number(row.dataset.game) === shown.index);
    }
  }

  // ---------------------------------------------------------------- one game

  let shown = null;

  function decode(index) {
    const game = games[index];
    const words = (text) => (text === '' ? [] : text.split(' '));
    const board = boards[game.s];
    const moves = words(game.m);
    const changes = moves.length === 0 ? [] : game.c.split(',').map((text) => {
      const list = [];
      for (let i = 0; i + 2 < text.length; i += 3) list.push([parseInt(text.slice(i, i + 2), 36), text[i + 2]]);
      return list;
    });
    const positions = [game.i];
    for (const list of changes) {
      const cells = positions[positions.length - 1].split('');
      for (const [place, letter] of list) cells[place] = letter;
      positions.push(cells.join(''));
    }
    const mover = moves.map((_, ply) => ((ply % 2 === 0) === (game.t === 'b') ? 'b' : 'w'));
    return {
      index, game, board, moves, changes, positions, mover, ply: 0,
      times: words(game.d).map(Number),
      chances: words(game.h).map((word) => (word === '-' ? null : Number(word))),
    };
  }

  function show(index) {
    shown = decode(index);
    const { game } = shown;
    $('viewer').hidden = false;
    $('heading').textContent = 'Game ' + game.n + ': ' + engines[game.p[0]] + ' (Black) – ' + engines[game.p[1]] + ' (White)';
    const lead = game.w === 'd' ? 'Draw' : (game.w === 'b' ? 'Black' : 'White') + ' wins';
    $('about').textContent = lead + ' (' + game.r + '), ' + game.e + ': ' + game.y +
      (game.o ? '. Opening ' + game.o : '') + '. ' + shown.board.setup + '.';
    const list = document.createDocumentFragment();
    shown.moves.forEach((move, ply) => {
      const item = element('li', undefined, 'side-' + shown.mover[ply] + (ply < game.k ? ' opening' : ''));
      item.append(element('span', (ply + 1) + ' '), move);
      const time = shown.times[ply - game.k];
      if (time !== undefined) item.title = (time / 1000) + ' s';
      item.dataset.ply = ply + 1;
      list.append(item);
    });
    $('moves').replaceChildren(list);
    graphs();
    go(Math.min(game.k, shown.moves.length));
    mark();
  }

  function go(ply) {
    shown.ply = Math.max(0, Math.min(shown.moves.length, ply));
    $('board').replaceChildren(draw());
    const last = shown.ply > 0 ? shown.moves[shown.ply - 1] : 'start';
    $('ply').textContent = shown.ply + ' / ' + shown.moves.length + '  ' + last;
    const list = $('moves');
    for (const item of list.children) item.classList.toggle('now', Number(item.dataset.ply) === shown.ply);
    const now = shown.ply > 0 ? list.children[shown.ply - 1] : null;
    list.scrollTop = now ? now.offsetTop - list.clientHeight / 2 : 0;
    for (const line of document.querySelectorAll('.cursor')) {
      const x = place(shown.ply);
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
    }
  }

  // ---------------------------------------------------------------- board

  function draw() {
    const { board } = shown;
    const width = board.columns.length;
    const height = board.rows.length;
    const cells = shown.positions[shown.ply];
    const edge = 0.7;
    const root = svg('svg', { viewBox: [-edge, -edge, width + 2 * edge, height + 2 * edge].join(' ') });
    const add = (name, attributes, text) => root.append(svg(name, attributes, text));
    const ground = board.lines ? 'wood' : 'margin-panel';
    add('rect', { class: ground, x: -edge, y: -edge, width: width + 2 * edge, height: height + 2 * edge });
    const there = (x, y) => x >= 0 && y >= 0 && x < width && y < height && cells[y * width + x] !== '#';
    if (board.lines) {
      // A line from a point goes to its neighbours only, so that missing points leave a gap.
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          if (!there(x, y)) continue;
          if (there(x + 1, y)) add('line', { class: 'wood-line', x1: x + .5, y1: y + .5, x2: x + 1.5, y2: y + .5 });
          if (there(x, y + 1)) add('line', { class: 'wood-line', x1: x + .5, y1: y + .5, x2: x + .5, y2: y + 1.5 });
        }
      }
      const stars = width === height && width % 2 === 1 && width >= 9 ? [width < 13 ? 2 : 3, width >> 1] : [];
      if (stars.length) {
        stars.push(width - 1 - stars[0]);
        for (const x of stars) for (const y of stars) {
          if ((x === stars[1]) !== (y === stars[1]) && width < 19) continue;
          if (there(x, y)) add('circle', { class: 'wood-dot', cx: x + .5, cy: y + .5, r: .09 });
        }
      }
    } else if (board.game === 'othello') {
      add('rect', { class: 'felt', x: 0, y: 0, width, height });
      for (let x = 0; x <= width; x++) add('line', { class: 'felt-line', x1: x, y1: 0, x2: x, y2: height });
      for (let y = 0; y <= height; y++) add('line', { class: 'felt-line', x1: 0, y1: y, x2: width, y2: y });
    } else {
      for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        add('rect', { class: (x + y) % 2 === 0 ? 'light' : 'dark', x, y, width: 1, height: 1 });
      }
    }
    const names = board.lines ? 'names on-wood' : 'names';
    for (let x = 0; x < width; x++) for (const y of [-.24, height + .5]) {
      add('text', { class: names, x: x + .5, y }, board.columns[x]);
    }
    for (let y = 0; y < height; y++) for (const x of [-.36, width + .36]) {
      add('text', { class: names, x, y: y + .63 }, board.rows[y]);
    }
    const queens = board.game === 'amazons';
    for (let place = 0; place < cells.length; place++) {
      const x = place % width;
      const y = Math.floor(place / width);
      if (cells[place] === '#' && queens) {
        add('rect', { class: 'arrow', x: x + .22, y: y + .22, width: .56, height: .56, rx: .1 });
      } else if (cells[place] === 'X' || cells[place] === 'O') {
        const side = cells[place] === 'X' ? 'piece-b' : 'piece-w';
        if (queens) {
          add('path', { class: side, transform: 'translate(' + x + ' ' + y + ')', d: QUEEN });
        } else {
          add('circle', { class: side, cx: x + .5, cy: y + .5, r: board.lines ? .46 : .42 });
        }
      }
    }
    if (shown.ply > 0) {
      const list = shown.changes[shown.ply - 1];
      for (const [place] of queens ? list : list.slice(0, 1)) {
        const x = place % width;
        const y = Math.floor(place / width);
        if (queens) add('rect', { class: 'touched', x: x + .05, y: y + .05, width: .9, height: .9, rx: .08 });
        else add('circle', { class: 'marked', cx: x + .5, cy: y + .5, r: .12 });
      }
    }
    return root;
  }
  const QUEEN = 'M.2 .3 L.34 .58 L.38 .2 L.5 .54 L.62 .2 L.66 .58 L.8 .3 L.72 .74 L.28 .74 Z M.26 .78 H.74 V.86 H.26 Z';

  // ---------------------------------------------------------------- graphs

  const WIDE = 480;
  const FROM = 48;
  const place = (ply) => FROM + ply / Math.max(1, shown.moves.length) * (WIDE - FROM - 8);

  function graphs() {
    const { game } = shown;
    const series = { b: [], w: [] };
    shown.chances.forEach((chance, index) => {
      const ply = game.k + index + 1;
      const side = shown.mover[ply - 1];
      // Both as the chance of Black, so that the lines meet where the engines agree.
      if (chance !== null && side) series[side].push([ply, side === 'b' ? chance : 100 - chance]);
    });
    const some = series.b.length + series.w.length > 0;
    $('chances').replaceChildren(...(some ? [graph('Black’s winning chance, %, as claimed by', 120, (root, y) => {
      for (const side of 'bw') {
        const points = series[side].map(([ply, chance]) => place(ply) + ',' + y(chance / 100));
        const group = svg('g', { class: 'side-' + side });
        if (points.length > 1) group.append(svg('polyline', { class: 'side', points: points.join(' ') }));
        else for (const [ply, chance] of series[side]) group.append(svg('circle', { class: 'side', cx: place(ply), cy: y(chance / 100), r: 2.5 }));
        root.append(group);
      }
    }, [[0, '0'], [.5, '50'], [1, '100']])] : []));
    const most = Math.max(1, ...shown.times);
    const unit = most >= 1000 ? (v) => (v / 1000).toFixed(most >= 10000 ? 0 : 1) + ' s' : (v) => Math.round(v) + ' ms';
    $('times').replaceChildren(...(shown.times.length ? [graph('Time of each move', 90, (root, y) => {
      const breadth = Math.max(1, (WIDE - FROM - 8) / Math.max(1, shown.moves.length) - 1);
      shown.times.forEach((time, index) => {
        const ply = game.k + index + 1;
        const group = svg('g', { class: 'side-' + (shown.mover[ply - 1] || 'b') });
        const top = y(time / most);
        group.append(svg('rect', { class: 'side', x: place(ply) - breadth / 2, y: top, width: breadth, height: Math.max(.5, y(0) - top) }));
        root.append(group);
      });
    }, [[0, '0'], [1, unit(most)]])] : []));
  }

  function graph(title, height, fill, ticks) {
    const root = svg('svg', { viewBox: '0 0 ' + WIDE + ' ' + height });
    const y = (share) => height - 10 - share * (height - 36);
    root.append(svg('text', { x: 6, y: 14 }, title));
    ['b', 'w'].forEach((side, index) => {
      const group = svg('g', { class: 'side-' + side });
      const name = engines[shown.game.p[index]];
      const text = name.length > 16 ? name.slice(0, 15) + '…' : name;
      group.append(svg('text', { class: 'side', x: index ? WIDE - 8 : WIDE - 122, y: 14, 'text-anchor': 'end' }, text));
      root.append(group);
    });
    for (const [value, name] of ticks) {
      root.append(svg('line', { class: 'grid', x1: FROM, x2: WIDE - 8, y1: y(value), y2: y(value) }));
      root.append(svg('text', { x: FROM - 4, y: y(value) + 4, 'text-anchor': 'end' }, name));
    }
    fill(root, y);
    root.append(svg('line', { class: 'cursor', y1: 20, y2: height - 8 }));
    root.addEventListener('click', (event) => {
      const box = root.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * WIDE;
      go(Math.round((x - FROM) / (WIDE - FROM - 8) * shown.moves.length));
    });
    return root;
  }

  // ---------------------------------------------------------------- events

  function follow() {
    const game = /^#g=(\d+)(?:&m=(\d+))?$/.exec(location.hash);
    const pairing = /^#p=(\d+),(\d+)$/.exec(location.hash);
    if (game && byNumber.has(Number(game[1]))) {
      show(byNumber.get(Number(game[1])));
      if (game[2]) go(Number(game[2]));
      $('viewer').scrollIntoView();
    } else if (pairing) {
      $('engine').value = pairing[1];
      $('opponent').value = pairing[2];
      $('result').value = '';
      filter();
      $('games').scrollIntoView();
    }
  }

  function step(by) {
    if (!shown) return;
    const at = found.indexOf(shown.index);
    const next = at < 0 ? found[0] : found[at + by];
    if (next !== undefined) location.hash = 'g=' + games[next].n;
  }

  for (const id of ['engine', 'opponent']) {
    $(id).append(new Option(id === 'engine' ? 'all' : 'anyone', ''));
    engines.forEach((name, index) => $(id).append(new Option(name, index)));
    $(id).addEventListener('change', filter);
  }
  $('result').addEventListener('change', filter);
  $('more').addEventListener('click', more);
  $('list').tBodies[0].addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (row) location.hash = 'g=' + games[row.dataset.game].n;
  });
  $('moves').addEventListener('click', (event) => {
    const item = event.target.closest('li');
    if (item) go(Number(item.dataset.ply));
  });
  const keys = {
    ArrowLeft: () => go(shown.ply - 1), ArrowRight: () => go(shown.ply + 1),
    Home: () => go(0), End: () => go(shown.moves.length), ArrowUp: () => step(-1), ArrowDown: () => step(1),
  };
  document.addEventListener('keydown', (event) => {
    if (!shown || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'SELECT') return;
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  $('first').addEventListener('click', keys.Home);
  $('back').addEventListener('click', keys.ArrowLeft);
  $('forward').addEventListener('click', keys.ArrowRight);
  $('last').addEventListener('click', keys.End);
  $('previous').addEventListener('click', keys.ArrowUp);
  $('next').addEventListener('click', keys.ArrowDown);
  window.addEventListener('hashchange', follow);
  filter();
  follow();
})();
