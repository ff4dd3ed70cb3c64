// What Sabaki does with an engine, through its own library @sabaki/gtp: pipelined set-up, navigation by
// undo and by replay, analysis that the next command ends, and a game of NoGo to its end.
//
// Usage: sabaki.cjs PROGRAM [ARGUMENT...]   where the program speaks GTP and plays NoGo on 9x9

'use strict'

const assert = require('node:assert/strict')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const SIZE = 9
const LETTERS = 'ABCDEFGHJ'

const command = (name, ...args) => ({name, args})
const play = (color, vertex) => command('play', color, vertex)
const other = color => (color === 'B' ? 'W' : 'B')

// The text of a reply that must not be an error.
async function ok(pending, what) {
  const response = await pending
  assert.ok(!response.error, `${what}: ${response.content}`)
  return response.content
}

// The moves of a line of an analysis, each with its values by name and its variation.
function parseInfo(line) {
  return line
    .split(/\s*\binfo\s+/)
    .slice(1)
    .map(text => {
      const [, keys, pv] = text.match(/^(.*?)\s+pv((?:\s+(?:[A-HJ][1-9]|pass))+)/i) ?? []
      assert.ok(pv, `no variation: ${text}`)
      const words = keys.trim().split(/\s+/)
      const values = {pv: pv.trim().split(/\s+/)}
      for (let i = 0; i + 1 < words.length; i += 2) values[words[i]] = words[i + 1]
      return values
    })
}

// `scale` is what a winning chance of 1 is written as.
function checkInfo(line, scale) {
  const moves = parseInfo(line)
  assert.ok(moves.length > 0, line)
  for (const move of moves) {
    assert.equal(move.pv[0], move.move, line)
    assert.ok(+move.visits > 0, line)
    for (const name of ['winrate', 'prior']) {
      assert.ok(+move[name] >= 0 && +move[name] <= scale, `${name}: ${line}`)
      // Sabaki tells the two scales apart by the decimal point.
      assert.equal(move[name].includes('.'), scale === 1, `${name}: ${line}`)
    }
  }
}

// An analysis that is ended by the next command, as Sabaki ends it.
async function analyze(controller, name, scale) {
  const lines = []
  let ended = null
  const reply = await controller.sendCommand(command(name, 'W', '10'), ({line}) => {
    if (line.startsWith('info ')) lines.push(line)
    if (lines.length === 3) ended ??= controller.sendCommand(command('protocol_version'))
  })
  assert.ok(!reply.error, reply.content)
  assert.equal(await ok(ended, 'protocol_version'), '2')
  lines.forEach(line => checkInfo(line, scale))
  console.log(`${name}: ${lines.length} reports`)
}

async function main() {
  const [program, ...args] = process.argv.slice(2)
  const controller = new Controller(program, args)
  const stderr = []
  const sent = []
  controller.on('stderr', ({content}) => stderr.push(content))
  controller.on('command-sent', ({command}) => sent.push(command.name))
  const tracker = new ControllerStateTracker(controller)
  controller.start()

  const send = (...words) => controller.sendCommand(command(...words))
  const [name, version, protocol, list] = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(word => ok(send(word), word))
  )
  assert.equal(name, 'Tengen')
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.equal(protocol, '2')
  const known = list.split('\n')
  for (const word of ['undo', 'loadsgf', 'analyze', 'genmove_analyze', 'kata-analyze', 'lz-analyze']) {
    assert.ok(known.includes(word), word)
  }

  // Everything at once.
  const moves = [play('B', 'D4'), play('W', 'F6'), play('B', 'C7'), play('W', 'G3'), play('B', 'E5')]
  const setup = [command('komi', '6.5'), command('boardsize', `${SIZE}`), command('clear_board'), ...moves]
  const replies = await Promise.all(setup.map(each => ok(controller.sendCommand(each), each.name)))
  assert.deepEqual(replies, setup.map(() => ''))
  const boards = [await ok(send('showboard'), 'showboard')]

  // Navigation: back by undo, onto a branch, and to where only a replay leads.
  const state = history => ({komi: 6.5, boardsize: [SIZE, SIZE], history})
  const steps = [
    [moves.slice(0, 4), ['undo']],
    [moves, ['play']],
    [[...moves.slice(0, 3), play('W', 'H8')], ['undo', 'undo', 'play']],
    [moves.slice(0, 1), ['clear_board', 'play']],
    [moves, ['play', 'play', 'play', 'play']],
  ]
  for (const [history, expected] of steps) {
    sent.length = 0
    await tracker.sync(state(history))
    assert.deepEqual(sent.filter(word => word !== 'list_commands'), expected)
    boards.push(await ok(send('showboard'), 'showboard'))
  }
  assert.equal(boards[2], boards[0])
  assert.equal(boards[5], boards[0])
  assert.equal(new Set(boards).size, 4)

  // A wrong move is an error, and the engine stays where it was.
  for (const [color, vertex] of [['W', 'E5'], ['W', 'Z9'], ['X', 'A1']]) {
    const refused = await tracker.queueCommand(play(color, vertex))
    assert.ok(refused.error && refused.content.length > 0, `${vertex}: ${refused.content}`)
  }
  assert.equal(await ok(send('showboard'), 'showboard'), boards[0])
  assert.equal(tracker.state.history.length, moves.length)

  await analyze(controller, 'lz-analyze', 10000)
  await analyze(controller, 'kata-analyze', 1)
  await analyze(controller, 'analyze', 1)

  // A game to its end, one side with reports.
  await tracker.sync(state([]))
  const taken = new Set()
  let color = 'B'
  for (;;) {
    const reporting = color === 'B' && taken.size < 20
    const request = reporting ? command('genmove_analyze', color, '10') : command('genmove', color)
    const reply = await tracker.queueCommand(request)
    assert.ok(!reply.error, reply.content)
    const line = reply.content.split('\n').pop()
    const vertex = (reporting ? line.replace(/^play /, '') : line).toUpperCase()
    if (vertex === 'RESIGN') break
    assert.match(vertex, new RegExp(`^[${LETTERS}][1-${SIZE}]$`), reply.content)
    assert.ok(!taken.has(vertex), `${vertex} is taken`)
    taken.add(vertex)
    color = other(color)
  }
  assert.ok(taken.size > 20, `a game of ${taken.size} moves`)
  assert.equal(tracker.state.history.length, taken.size)
  const score = await ok(send('final_score'), 'final_score')
  assert.ok(score.startsWith(`${other(color)}+`), `${color} has no move, but the score is ${score}`)
  console.log(`${other(color)} wins after ${taken.size} moves`)

  const code = new Promise(resolve => controller.once('stopped', ({signal}) => resolve(signal)))
  const begun = Date.now()
  await controller.stop(3000)
  assert.ok(Date.now() - begun < 3000, `it took ${Date.now() - begun} ms to leave`)
  assert.equal(await code, 0)
  assert.deepEqual(stderr, [])
}

main().catch(error => {
  console.error(`sabaki.cjs: ${error.stack}`)
  process.exit(1)
})
