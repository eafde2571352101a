import type { KubeObject, Table } from "@rollcall/api"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Arguments } from "../Arguments.ts"
import { type CommandError, commandError } from "../CommandError.ts"
import type { Host } from "../Host.ts"
import type { ObjectPrinter } from "../output/objectPrinter.ts"
import type { TableText } from "../output/TableText.ts"
import { call, TABLE_ACCEPT } from "../request.ts"
import { selectorsOf, type Target } from "../targets.ts"

interface Event {
  readonly type: string
  readonly object: KubeObject & Table
}

export interface WatchOutput {
  /** The URL path of the collection. */
  readonly path: string
  readonly printer: ObjectPrinter | undefined
  readonly table: TableText | undefined
}

const parseEvent = (line: string): Event | undefined => {
  try {
    return JSON.parse(line) as Event
  } catch {
    return undefined
  }
}

/** `kubectl get -w`: prints the current objects, then each change, until the server ends the watch. */
export const watchTarget = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  { name }: Target,
  { path, printer, table }: WatchOutput
) {
  const { lines } = host.api
  if (lines === undefined) return yield* commandError("this client cannot watch")
  const selectors = { ...selectorsOf(args), ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }) }
  const headers = { accept: printer === undefined ? TABLE_ACCEPT : "application/json" }

  const show = (object: KubeObject & Table): Effect.Effect<void, CommandError> =>
    Effect.gen(function* () {
      if (printer !== undefined) return host.stdout(yield* Effect.fromResult(printer.print(object)))
      if (table === undefined || (object.rows ?? []).length === 0) return
      table.add(object)
      host.stdout(table.flush())
    })

  const list = (yield* call(host, {
    method: "GET",
    path,
    query: { ...selectors, limit: "500" },
    headers
  })) as KubeObject & Table & { readonly items?: ReadonlyArray<KubeObject & Table> }
  if (!args.isOn("watch-only")) {
    for (const object of printer === undefined ? [list] : (list.items ?? [])) {
      yield* show({
        ...object,
        apiVersion: object.apiVersion ?? list.apiVersion,
        kind: object.kind ?? list.kind.replace(/List$/, "")
      })
    }
  }
  const query = { ...selectors, watch: "true", resourceVersion: list.metadata.resourceVersion ?? "0" }
  const events = lines({ method: "GET", path, query, headers, timeoutMs: 0 })
  yield* Stream.runForEach(events, (line) => {
    const event = parseEvent(line)
    if (event === undefined || event.type === "BOOKMARK") return Effect.void
    if (event.type === "ERROR") {
      const { message } = event.object as { readonly message?: string }
      return Effect.fail(commandError(message ?? "the watch broke"))
    }
    return show(event.object)
  })
})
