import { assert, describe, it } from "@effect/vitest"
import { hasFormat } from "../src/formats.ts"

describe("formats of texts", () => {
  // Those of a server of 1.36.
  it.each([
    ["uri", ["mailto:x", "/a/b"], ["x", "http://[::1"]],
    ["byte", ["eA=="], ["", "***"]],
    ["hostname", ["a.example", "host"], ["a.b", "a_b.com"]],
    ["mac", ["01-23-45-67-89-ab", "0123.4567.89ab"], ["01:23:45:67:89", "01-23:45:67:89:ab"]],
    ["email", ["a@b", "Bob <b@c>"], ["b@c@d", "x"]],
    ["date", ["2021-02-28"], ["2021-02-30", "2021-13-01", "x"]],
    ["date-time", ["2021-03-04t05:06:07z", "2021-03-04T05:06:07.5+01:00"], ["2021-03-04T25:06:07Z", "2021-03-04"]],
    ["duration", ["1.5h", "5 minutes ago", "2 weeks"], ["", "3 parsecs"]],
    ["ipv4", ["01.2.3.4", "::ffff:1.2.3.4"], ["::1"]],
    ["ipv6", ["::1"], ["::1%eth0", "1.2.3.4"]],
    ["cidr", ["10.0.0.0/8"], ["10.0.0.1/33"]],
    ["isbn", ["0321751043", "978-0321751041"], ["978-0321751042"]],
    ["creditcard", ["4111 1111 1111 1111"], ["4111111111111112"]],
    ["ssn", ["123-45-6789"], ["12-345-6789"]],
    ["rgbcolor", ["rgb(255, 0,12)"], ["rgb(256,0,0)"]],
    ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["x"]],
    ["k8s-short-name", ["ab"], ["A"]],
    ["k8s-long-name", ["a.b"], ["a..b"]],
    ["colour", ["mauve"], []]
  ] as const)("judges %s", (format, fit, unfit) => {
    for (const text of fit) assert.isTrue(hasFormat(format, text), text)
    for (const text of unfit) assert.isFalse(hasFormat(format, text), text)
  })

  it("takes time that grows with the text only", () => {
    const long = "1".repeat(300_000)
    const start = performance.now()
    for (const format of ["duration", "email", "hostname", "k8s-long-name", "byte", "uri"]) hasFormat(format, long)
    assert.isBelow(performance.now() - start, 2000)
  })
})
