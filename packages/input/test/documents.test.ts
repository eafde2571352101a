import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { assert, describe, it } from "vitest"
import { parseDocuments, readDocuments, readDocumentsBelow } from "../src/documents.ts"
import { show } from "../src/index.ts"

const parseValues = (file: string, text: string) =>
  Result.map(parseDocuments(file, text), (documents) => documents.map(({ path, value }) => [path, value]))

describe("JSON documents one after another", () => {
  it("are each a document, whatever stands between them, and whatever brackets their texts hold", () => {
    const text = '{"a":"}{"}\n\n[1,{"b":"\\"]["}]{"c":"\\\\"}'
    assert.deepStrictEqual(Result.getOrThrow(parseValues("r.json", text)), [
      ["document 1", { a: "}{" }],
      ["document 2", [1, { b: '"][' }]],
      ["document 3", { c: "\\" }]
    ])
  })

  it("are refused with the document that is none, and where one breaks off", () => {
    const messageOf = (text: string) => {
      const parsed = parseDocuments("r.json", text)
      return Result.isFailure(parsed) ? parsed.failure.message : ""
    }
    assert.match(messageOf('{"a":1}{b:2}'), /^r\.json:1: document 2: not JSON: .* at column 2$/)
    assert.match(messageOf('{"a":1}\n{"a":\n2}\n{\n\nb:2}'), /^r\.json:6: document 3: not JSON: .* at column 1$/)
    assert.match(messageOf('{"a":1}{"b":2'), /^r\.json:1: not JSON: /)
    assert.match(messageOf('{"a":1} x'), /^r\.json:1: not JSON: /)
  })
})

describe("a text that is neither JSON nor YAML", () => {
  it("is refused as the JSON that it begins as, whatever its name", () => {
    const dump = '{\n    "kind": "NodeList"\n}\n==== START logs for container c of pod default/web ====\n{"a": 1}\n'
    const parsed = parseDocuments("dump.txt", dump)
    assert.match(Result.isFailure(parsed) ? parsed.failure.message : "", /^dump\.txt:4: not JSON: /)
    const flow = parseDocuments("flow", "{ a: [1, b }")
    assert.match(Result.isFailure(flow) ? flow.failure.message : "", /^flow:1: not YAML: /)
  })
})

describe("a folder", () => {
  const inMemory = (files: Readonly<Record<string, string>>) =>
    FileSystem.makeNoop({
      stat: (path) =>
        Effect.succeed({ type: path === "dump" ? "Directory" : "File", size: 0n } as FileSystem.File.Info),
      readDirectory: () => Effect.succeed(Object.keys(files)),
      readFileString: (path) => Effect.succeed(files[path.slice("dump/".length)] ?? "")
    })
  const read = (files: Readonly<Record<string, string>>) => {
    const reading = Effect.provideService(readDocumentsBelow("dump"), FileSystem.FileSystem, inMemory(files))
    const result = Effect.runSync(Effect.result(reading))
    return Result.isSuccess(result) ? result.success.map(({ file, value }) => [file, value]) : result.failure.message
  }

  it("is read with the folders in it, in the order of the names, without the files that hold no objects", () => {
    const files = {
      "nodes.json": '{"a":1}',
      "web/logs.txt": "{ no",
      "web/pods.json": '{"b":2}{"b":3}',
      "a.yml": "c: 4"
    }
    assert.deepStrictEqual(read(files), [
      ["dump/a.yml", { c: 4 }],
      ["dump/nodes.json", { a: 1 }],
      ["dump/web/pods.json", { b: 2 }],
      ["dump/web/pods.json", { b: 3 }]
    ])
  })

  it("is refused without such files, or for one that is wrong", () => {
    assert.strictEqual(read({ "logs.txt": "" }), "dump: is a folder without .json, .yaml or .yml files")
    assert.match(String(read({ "web/pods.json": "{" })), /^dump\/web\/pods\.json:1: not JSON: /)
  })
})

describe("YAML documents", () => {
  it("may merge a mapping into another, as Go's parser reads them", () => {
    const text = "a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\n"
    assert.deepStrictEqual(Result.getOrThrow(parseValues("m.yaml", text)), [
      ["", { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }]
    ])
  })
})

describe("a value in a message", () => {
  it("is its JSON, cut to a line", () => {
    const values = [
      { a: [1, "x", null, true], b: { c: "y" }, d: undefined },
      "a\nb",
      [],
      {},
      Number.NaN,
      undefined,
      false
    ]
    assert.deepStrictEqual(values.map(show), [
      '{"a":[1,"x",null,true],"b":{"c":"y"}}',
      '"a\\nb"',
      "[]",
      "{}",
      "NaN",
      "nothing",
      "false"
    ])
    const long = Array.from({ length: 50 }, (_, index) => ({ index }))
    assert.strictEqual(show(long), `${JSON.stringify(long).slice(0, 77)}...`)
    assert.strictEqual(show("x".repeat(79)), `"${"x".repeat(76)}...`)
    assert.strictEqual(show("x".repeat(78)), `"${"x".repeat(78)}"`)
  })

  it("is made of no more than is shown, however deep or long it is", () => {
    const deep = JSON.parse(`${"[".repeat(500_000)}${"]".repeat(500_000)}`)
    assert.strictEqual(show(deep), `${"[".repeat(77)}...`)
    let looked = 0
    const members = Array.from({ length: 1000 }, () => ({
      get seen() {
        looked++
        return "member"
      }
    }))
    show(members)
    assert.isBelow(looked, 50)
  })
})

describe("a long file", () => {
  const read = (text: string, bytes = 2n ** 33n) => {
    const files = FileSystem.makeNoop({
      stat: () => Effect.succeed({ type: "File", size: bytes } as FileSystem.File.Info),
      stream: () => Stream.fromIterable([...text].map((char) => new TextEncoder().encode(char))),
      readFileString: () => Effect.succeed(text)
    })
    const reading = Effect.provideService(readDocuments("pods.json"), FileSystem.FileSystem, files)
    const result = Effect.runSync(Effect.result(reading))
    return Result.isSuccess(result) ? result.success.map(({ value }) => value) : result.failure.message
  }

  it("is read as a List of objects, which may be longer than a text can be", () => {
    assert.deepEqual(read('{"kind":"List","items":[{"a":"é"}]}'), [{ kind: "List", items: [{ a: "é" }] }])
  })

  it("is read as a text if it is anything else", () => {
    const other = '{"a":1}{"b":2}'
    assert.deepEqual(read(other, 2n ** 25n), [{ a: 1 }, { b: 2 }])
    assert.strictEqual(read(other), "pods.json: is longer than 256 MiB, the most that is read")
    assert.match(String(read('{"items":[{}', 2n ** 25n)), /^pods\.json:1: not JSON: /)
  })
})
