import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { kubeconfigFor, writeKubeconfig } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import { LiveServer } from "../src/LiveServer.ts"

const PYTHON = "/usr/bin/python3"
const isInstalled = spawnSync(PYTHON, ["-c", "import kubernetes"]).status === 0

const program = `
import sys
from kubernetes import client, config, watch
config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
core.create_node({"metadata": {"name": "n1", "labels": {"zone": "a"}}})
core.patch_node("n1", {"metadata": {"labels": {"b": "1"}}})
print(sorted(core.read_node("n1").metadata.labels))
listed = core.list_node(label_selector="zone=a")
print([node.metadata.name for node in listed.items])
core.patch_node("n1", {"spec": {"unschedulable": True}})
core.delete_node("n1")
for event in watch.Watch().stream(core.list_node, resource_version=listed.metadata.resource_version, timeout_seconds=10):
    print(event["type"], event["object"].metadata.name)
    if event["type"] == "DELETED":
        break
lease = client.CoordinationV1Api().create_namespaced_lease("default", {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}})
print(lease.spec.holder_identity)
try:
    core.read_node("n1")
except client.ApiException as error:
    print(error.status, error.reason)
`

describe("the official Python client", () => {
  it.live.skipIf(!isInstalled)("lists, watches, patches and deletes", () =>
    Effect.gen(function* () {
      const { config, url } = yield* LiveServer
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-python-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const file = join(folder, "config")
      yield* writeKubeconfig(
        file,
        kubeconfigFor({ name: "rollcall", server: url, ca: config.tls.ca ?? "", token: "admin" })
      )
      const said = yield* Effect.callback<string>((resume) => {
        let text = ""
        const child = spawn(PYTHON, ["-c", program, file])
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk))
        child.on("close", () => resume(Effect.succeed(text)))
      })
      assert.strictEqual(said, "['b', 'zone']\n['n1']\nMODIFIED n1\nDELETED n1\nme\n404 Not Found\n")
    }).pipe(Effect.scoped, Effect.provide(LiveServer.layerTls))
  )
})
