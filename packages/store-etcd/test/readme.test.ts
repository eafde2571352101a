import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { inEtcd } from "./inEtcd.ts"

const folder = fileURLToPath(new URL("..", import.meta.url))
const [, example = ""] = /```ts\n(.*?)```/s.exec(readFileSync(`${folder}/README.md`, "utf8")) ?? []

inEtcd("the README's example", ({ etcd }) => {
  it("renews a Lease, and sees it", { timeout: 30_000 }, async () => {
    const code = example.replace("http://127.0.0.1:2379", etcd().url)
    assert.notStrictEqual(code, example)
    const run = promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", code], {
      cwd: folder
    })
    assert.match((await run).stdout, /^revision \d+\nput \/registry\/leases\/kube-node-lease\/node-1\n$/)
  })
})
