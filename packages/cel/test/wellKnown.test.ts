import { assert, describe, it } from "@effect/vitest"
import { CompileFault, compile, Meter, STRING } from "@rollcall/cel"
import { shown } from "./shown.ts"

const google = (text: string) => text.replace(/\b(\w+)(?=\{)/g, "google.protobuf.$1")

/** Returns what an expression gives, or why it cannot be compiled, in one line. */
const given = (text: string): string => {
  const made = compile(google(text), { self: STRING }, STRING)
  if (made instanceof CompileFault) return made.message.split("\n")[0] ?? ""
  return shown(made.program({ self: "" }, new Meter()))
}

// What kube-apiserver v1.36.2 makes of them.
const cases: ReadonlyArray<readonly [expression: string, result: string]> = [
  ["Int64Value{value: 3}", "3"],
  ["Int64Value{} == 0", "true"],
  ["Int64Value{} == null", "false"],
  ["Int64Value{value: 3} + 1 == 4", "true"],
  ["[Int64Value{}, 1].size() == 2", "true"],
  ["string(Int64Value{value: 3})", '"3"'],
  ["BoolValue{value: true} && true", "true"],
  ["UInt32Value{value: 3u}", "3u"],
  ["DoubleValue{value: 1.5} == FloatValue{value: 1.5}", "true"],
  ["BytesValue{value: b'a'} == b'a' && StringValue{} == ''", "true"],
  ["Timestamp{seconds: 3} == timestamp('1970-01-01T00:00:03Z')", "true"],
  ["Timestamp{seconds: 3, nanos: 5} > timestamp(3)", "true"],
  ["Duration{seconds: 3} == duration('3s')", "true"],
  ["Duration{seconds: 400000000000} == duration('1s')", "false"],
  ["Struct{fields: {'a': 1}}.a == 1", "true"],
  ["Struct{fields: {'a': [{'b': 2u}]}}", '{"a": [{"b": double(2)}]}'],
  ["ListValue{values: [1.0]}.size()", "1"],
  ["Value{string_value: 'a'}.size()", "1"],
  ["Value{} == null && Value{number_value: 1.0} == 1", "true"],
  ["Empty{} == Empty{}", "true"],
  [
    "Int32Value{value: 3000000000} == 3",
    "error(field type conversion error for google.protobuf.Int32Value.value value type: integer overflow)"
  ],
  ["Any{type_url: 'x'} == 1", 'error(unsupported conversion to ref.Val: (*dynamicpb.Message)type_url:"x")'],
  ["Int64Value{nope: 3} == 3", "ERROR: <input>:1:32: undefined field 'nope'"],
  [
    "Int64Value{value: 'a'} == 3",
    "ERROR: <input>:1:33: expected type of field 'value' is 'int' but provided type is 'string'"
  ],
  ["Bogus{} == 1", "ERROR: <input>:1:22: undeclared reference to 'google.protobuf.Bogus' (in container '')"],
  [
    "google.protobuf.Int64Value == 1",
    "ERROR: <input>:1:28: found no matching overload for '_==_' applied to '(type(wrapper(int)), int)'"
  ]
]

describe("the messages of google.protobuf", () => {
  for (const [text, result] of cases) it(text, () => assert.strictEqual(given(text), result))
})
