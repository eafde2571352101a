import type { KubeObject, Node } from "@rollcall/api"
import { Reflector, watchFailureLine } from "@rollcall/cluster"
import type { Env } from "../internal/Env.ts"

/** Watches the one Node of a kubelet; calls back with the list, then with each change; undefined: it was deleted. */
export const nodeReflector = (
  { chance, connection, log, name, timers }: Env,
  listed: (objects: ReadonlyArray<KubeObject>) => void,
  seen: (node: Node | undefined) => void
): Reflector =>
  new Reflector(
    connection,
    timers,
    "Node",
    { fieldSelector: `metadata.name=${name}` },
    {
      replace: listed,
      apply: ({ object, type }) => {
        if (type !== "ERROR") seen(type === "DELETED" ? undefined : (object as Node))
      },
      failed: (error, stage) => {
        const { fields, message, severity } = watchFailureLine(stage, "Node", error)
        log(severity, message, fields)
      }
    },
    chance.next
  )
