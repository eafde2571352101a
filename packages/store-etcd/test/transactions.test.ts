import { create } from "@bufbuild/protobuf"
import { assert, describe, it } from "@effect/vitest"
import { type Operation, StoreFailure } from "@rollcall/store"
import { type TxnRequest, TxnResponseSchema } from "../src/generated/etcd_pb.ts"
import { isGuarded, outcomeOf, type Prepared, prepareBatch, transactionOf } from "../src/internal/transactions.ts"

const space = { root: "", prefix: "/registry" }
const bytesOf = (text: string) => new TextEncoder().encode(text)

const prepared = (...batch: ReadonlyArray<Operation>): ReadonlyArray<Prepared> => {
  const result = prepareBatch(space, batch)
  if (result instanceof StoreFailure) throw result
  return result
}

const messageOf = (...batch: ReadonlyArray<Operation>) => (prepareBatch(space, batch) as StoreFailure).message

const answer = (succeeded: boolean, ...kvs: ReadonlyArray<{ modRevision: bigint; value: Uint8Array } | undefined>) =>
  create(TxnResponseSchema, {
    header: { revision: 40n },
    succeeded,
    responses: kvs.map((kv) => ({ response: { case: "responseRange" as const, value: { kvs: kv ? [kv] : [] } } }))
  })

describe("a batch", () => {
  it("is refused if etcd cannot take it", () => {
    assert.include(messageOf({ type: "put", key: "/a", value: 1 }, { type: "delete", key: "/a" }), "only once: /a")
    assert.include(messageOf({ type: "put", key: "/a", value: undefined }), "the value of /a is not JSON")
    assert.include(
      messageOf({ type: "put", key: "/big", value: "x".repeat(2 ** 21) }),
      "etcd takes at most 1572864 bytes"
    )
    const outside = prepareBatch({ root: "/registry", prefix: "" }, [{ type: "delete", key: "/a" }])
    assert.include((outside as StoreFailure).message, "the key /a is not below /registry")
  })

  it("compares what it expects, and asks for those keys if that fails", () => {
    const batch = prepared({ type: "put", key: "/a", value: { n: 1 }, expect: 7 }, { type: "delete", key: "/b" })
    const { compare, failure, success } = transactionOf(batch, () => 5n)
    assert.deepStrictEqual(
      compare.map(({ key, targetUnion }) => [new TextDecoder().decode(key), targetUnion.value]),
      [["/registry/a", 7n]]
    )
    assert.deepStrictEqual(
      success.map(({ request }) => request.case),
      ["requestPut", "requestDeleteRange"]
    )
    const [put] = success
    assert.deepInclude(put?.request.value, { lease: 5n, value: bytesOf('{"n":1}') })
    assert.deepInclude(failure[0]?.request.value, { keysOnly: true })
    assert.strictEqual(failure.length, 1)
  })

  it("may be sent again only if every operation expects a revision", () => {
    assert.isTrue(isGuarded(prepared({ type: "put", key: "/a", value: 1, expect: 0 })))
    assert.isFalse(isGuarded(prepared({ type: "put", key: "/a", value: 1, expect: 0 }, { type: "delete", key: "/b" })))
  })

  it("of many operations is transactions in a transaction", () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ type: "put", key: `/${at}`, value: at }) as const)
    const { success } = transactionOf(prepared(...many), () => 0n)
    const sizes = success.map(({ request }) => (request.value as TxnRequest).success.length)
    assert.deepStrictEqual(sizes, [64, 64, 64, 64, 44])
    assert.strictEqual(transactionOf(prepared(...many.slice(0, 128)), () => 0n).success.length, 128)
  })
})

describe("the answer to a batch", () => {
  const put = prepared({ type: "put", key: "/a", value: 1, expect: 7 })

  it("has the revision, or the first key that is another", () => {
    assert.deepInclude(outcomeOf(put, answer(true)), { revision: 40, conflict: undefined })
    const two = prepared(
      { type: "put", key: "/a", value: 1, expect: 7 },
      { type: "put", key: "/b", value: 1, expect: 0 }
    )
    const { conflict } = outcomeOf(
      two,
      answer(false, { modRevision: 7n, value: bytesOf("0") }, { modRevision: 9n, value: bytesOf("0") })
    )
    assert.deepInclude(conflict, { key: "/b", actual: 9 })
  })
})
