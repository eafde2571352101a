import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readAnswer } from "../../src/client/answer.ts"

const answerOf = (text: string, code = 200, type = "application/json") => readAnswer(code, type, text)
const messageOf = (text: string, code?: number) =>
  Result.match(answerOf(text, code), { onFailure: ({ message }) => message, onSuccess: () => "" })

describe("the answer of a webhook", () => {
  it("keeps the digits of its integers", () => {
    const answer = Result.getOrThrow(answerOf('{"response":{"convertedObjects":[{"spec":{"size":9007199254740993}}]}}'))
    assert.deepStrictEqual<unknown>(answer, { response: { convertedObjects: [{ spec: { size: 9007199254740993n } }] } })
  })

  it("is refused if it nests too deeply, as any other text that is no object", () => {
    const nested = (open: string, close: string) => open.repeat(20_000) + close.repeat(20_000)
    const fault = "couldn't get version/kind; json parse error: "
    assert.strictEqual(messageOf(nested("[", "]")), `${fault}invalid character '[' exceeded max depth`)
    assert.strictEqual(messageOf(nested('{"a":', "}")).slice(0, fault.length), fault)
    assert.include(messageOf("[1]"), `${fault}json: cannot unmarshal array into Go value of type struct`)
    assert.include(messageOf(nested("[", "]"), 500), "an error on the server")
  })

  it("is empty for null, and fails with the message of a Status", () => {
    assert.deepStrictEqual(answerOf("null"), Result.succeed({}))
    assert.strictEqual(messageOf('{"kind":"Status","message":"no"}', 403), "no")
  })
})
