// tui-memory: hands OpenCode's events to its hook. `tui-memory uninstall opencode` removes this file.
import { spawn } from "node:child_process"

const COMMAND = ["tui-memory-hook"]
const PATIENCE = 1500 // milliseconds; the hook itself leaves after one second

/** Run the hook with one event on its standard input; what it prints, "" where it cannot be run. */
function run(event, directory) {
  return new Promise((resolve) => {
    let out = ""
    const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => resolve(out), PATIENCE)
    const done = () => (clearTimeout(timer), resolve(out))
    child.on("error", done)
    child.on("close", done)
    child.stdout.on("data", (part) => (out += part))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

/** The event with which OpenCode tells of a new session. */
const begun = (id) => ({ type: "session.created", properties: { sessionID: id } })

/** The context in what the hook printed. */
function context(printed) {
  try {
    return JSON.parse(printed).system ?? []
  } catch {
    return []
  }
}

/** A tool that threw calls no tool.execute.after: only its part tells of it. */
const isToolError = (part) => part?.type === "tool" && part.state?.status === "error"

export const TuiMemory = async ({ directory, worktree }) => {
  const sessions = new Map() // id → what is known of a session
  let last = Promise.resolve("") // events are handed over in their order

  const session = (id) => {
    const fresh = { start: [], notes: [], said: "", answer: "", prompt: "", parent: "", begun: false }
    if (!sessions.has(id)) sessions.set(id, fresh)
    return sessions.get(id)
  }
  const send = (hook, id, body) => {
    const { parent } = session(id)
    const common = { v: 1, agent: "opencode", hook, directory, worktree, ts: Date.now() }
    const event = { ...common, ...(parent && { parent }), ...body }
    last = last.then(() => run(event, directory)).catch(() => "")
    return last
  }

  /** What a session's own events tell; the returned promise is waited for. */
  const told = {
    "session.created": async (id, properties, event) => {
      const known = session(id)
      known.parent = properties.info?.parentID ?? ""
      known.begun = true
      known.start = context(await send("event", id, { event }))
    },
    "session.idle": async (id, _, event) => {
      const { said, prompt } = session(id)
      session(id).said = ""
      await send("event", id, { event, text: said, prompt })
    },
    "session.compacted": (id, _, event) => send("event", id, { event }),
    "session.error": (id, _, event) => send("event", id, { event }),
    "session.deleted": async (id, _, event) => {
      await send("event", id, { event })
      sessions.delete(id)
    },
    "message.updated": async (id, { info }) => {
      if (info.role === "assistant") session(id).answer = info.id
    },
    "message.part.updated": async (id, { part }, event) => {
      if (isToolError(part)) await send("event", id, { event })
      if (part.type === "tool") session(id).said = ""
      if (part.type === "text" && part.messageID === session(id).answer && !part.synthetic && part.time?.end) {
        session(id).said = part.text
      }
    },
  }

  const safely = (work) => work.catch(() => {}) // a plugin that throws breaks a person's tool call

  return {
    event: ({ event }) => {
      const properties = event.properties ?? {}
      const id = properties.sessionID ?? properties.part?.sessionID ?? properties.info?.sessionID ?? properties.info?.id
      return safely((async () => id && (await told[event.type]?.(id, properties, event)))())
    },
    "chat.message": (input, output) =>
      safely(
        (async () => {
          const known = session(input.sessionID)
          known.prompt = output.message?.id ?? input.messageID ?? ""
          known.said = ""
          // A session that is taken up again in a new process is not told as created.
          if (!known.begun) await told["session.created"](input.sessionID, {}, begun(input.sessionID))
          known.notes = context(await send("chat.message", input.sessionID, { input, output }))
        })(),
      ),
    "tool.execute.after": (input, output) => safely(send("tool.execute.after", input.sessionID, { input, output })),
    "experimental.chat.system.transform": async (input, output) => {
      // The same at every request of a turn, so that the prompt's beginning stays in the provider's cache.
      const known = input.sessionID && sessions.get(input.sessionID)
      if (known) output.system.push(...known.start, ...known.notes)
    },
    dispose: async () => {
      for (const [id, known] of sessions) {
        if (!known.parent) send("dispose", id, { input: { sessionID: id } })
      }
      await last
    },
  }
}
