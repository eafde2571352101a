import { assert, describe, it } from "@effect/vitest"
import { opensStore } from "../src/start/opensStore.ts"

describe("opensStore", () => {
  for (const line of ["apiserver", "apiserver --data-dir /d --secure-port 1", "up --nodes 3", "up --layersome"]) {
    it(`is true of ${line}`, () => assert.isTrue(opensStore(line.split(" "))))
  }
  for (const line of [
    "",
    "get nodes",
    "kubelet up",
    "apiserver --help",
    "up -h",
    "up --etcd-servers=http://127.0.0.1:2379",
    "apiserver --etcd-servers http://127.0.0.1:2379",
    "up --layers ./mine.ts"
  ]) {
    it(`is false of ${JSON.stringify(line)}`, () => assert.isFalse(opensStore(line.split(" "))))
  }
})
