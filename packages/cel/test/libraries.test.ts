import { assert, describe, it } from "@effect/vitest"
import { CelError, type Compiled, CompileFault, compile, Meter, STRING, type Value } from "@rollcall/cel"

const compiled = (text: string): Compiled => {
  const made = compile(text, { self: STRING }, STRING)
  if (made instanceof CompileFault) throw new Error(made.message)
  return made
}

const fault = (text: string): string => {
  const made = compile(text, { self: STRING }, STRING)
  return made instanceof CompileFault ? made.message : "none"
}

const run = (text: string): { readonly value: Value; readonly cost: number } => {
  const meter = new Meter()
  return { value: compiled(text).program({ self: "" }, meter), cost: meter.cost }
}

/** Expressions and what they give; an error by a part of its message. */
const assertValues = (cases: ReadonlyArray<readonly [expression: string, value: Value | RegExp]>) => {
  for (const [text, wanted] of cases) {
    const { value } = run(text)
    if (wanted instanceof RegExp) {
      assert.match(value instanceof CelError ? value.message : "no error", wanted, text)
    } else assert.deepStrictEqual([text, value], [text, wanted])
  }
}

/** Expressions with what they cost at most, and when they run: figures of cost_test.go. */
const assertCosts = (cases: ReadonlyArray<readonly [expression: string, most: number, run: number]>) => {
  for (const [text, most, wanted] of cases) {
    assert.deepStrictEqual([text, compiled(text).maxCost, run(text).cost], [text, most, wanted])
  }
}

describe("quantities", () => {
  it("are parsed, compared and computed with", () =>
    assertValues([
      ["quantity('10Mo')", /^quantities must match the regular expression/],
      ["quantity('10Mm')", /unable to parse quantity's suffix/],
      ["isQuantity('20')", true],
      ["isQuantity('20M')", true],
      ["isQuantity('20Mi')", true],
      ["isQuantity('20Mo')", false],
      ["isQuantity('10Mm')", false],
      ["quantity('200M') == quantity('0.2G') && quantity('0.2G') == quantity('200M')", true],
      ["quantity('200M') == quantity('0.3G')", false],
      ["quantity('200M') != quantity('0.3G')", true],
      ["quantity('-1') == quantity('1') || quantity('0') != quantity('0.0')", false],
      ["quantity('1k') in [quantity('1000')]", true],
      ["quantity('50M').isLessThan(quantity('50Mi'))", true],
      ["quantity('100M').isLessThan(quantity('50M'))", false],
      ["quantity('50Mi').isGreaterThan(quantity('50M'))", true],
      ["quantity('50M').isGreaterThan(quantity('100M'))", false],
      ["quantity('200M').compareTo(quantity('0.2G'))", 0n],
      ["quantity('50M').compareTo(quantity('50Mi'))", -1n],
      ["quantity('50Mi').compareTo(quantity('50M'))", 1n],
      ["quantity('50k').add(quantity('20')) == quantity('50.02k')", true],
      ["quantity('50k').add(20).isLessThan(quantity('50020'))", false],
      ["quantity('50k').sub(quantity('20')) == quantity('49.98k')", true],
      ["quantity('50k').sub(20) == quantity('49980')", true],
      ["quantity('50k').add(20).sub(quantity('100k')).asInteger()", -49980n],
      ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger()", 20n],
      ["quantity('9999999999999999999999999999999999999G').asInteger()", /^cannot convert value to integer$/],
      ["quantity('9999999999999999999999999999999999999G').isInteger()", false],
      ["quantity('50').isInteger()", true],
      ["quantity('0.5').isInteger()", false],
      ["quantity('50.703k').asApproximateFloat()", 50703],
      ["[sign(quantity('-2')), sign(quantity('0')), sign(quantity('1n'))] == [-1, 0, 1]", true],
      ["type(quantity('1')) == type(quantity('2'))", true],
      ["dyn(quantity('1')) == dyn('1')", false]
    ]))

  it("are distinguished from other types when a rule is written", () => {
    assert.match(fault("isQuantity([1, 2, 3])"), /found no matching overload for 'isQuantity' applied to/)
    assert.match(fault("quantity('1') == '1'"), /applied to '\(kubernetes.Quantity, string\)'/)
    assert.match(fault("quantity('1').value"), /undefined field 'value'/)
  })

  it("have Kubernetes' costs", () =>
    assertCosts([
      ["quantity('12Mi')", 1, 1],
      ["isQuantity('20')", 1, 1],
      ["quantity('200M') == quantity('200M')", 3, 3],
      ["quantity('200M') == quantity('0.2G') && quantity('0.2G') == quantity('200M')", 6, 6],
      ["quantity('50M').isLessThan(quantity('50Mi'))", 3, 3],
      ["quantity('200M').compareTo(quantity('0.2G')) > 0", 4, 4],
      ["quantity('50k').add(quantity('20')) == quantity('50.02k')", 5, 5],
      ["quantity('50k').sub(20) == quantity('49980')", 4, 4],
      ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger() > 0", 7, 7],
      ["quantity('50k').asInteger() > 0", 3, 3],
      ["quantity('50').isInteger()", 2, 2],
      ["quantity('50.703k').asApproximateFloat() > 0.0", 3, 3]
    ]))
})

describe("addresses", () => {
  const long = "2001:db8:3333:4444:5555:6666:7777:8888"

  it("are parsed, and have their properties", () =>
    assertValues([
      ["string(ip('192.168.0.1'))", "192.168.0.1"],
      ["string(ip('2001:DB8:0:0::68'))", "2001:db8::68"],
      ["ip('192.168.0.1') == ip('192.168.0.1') && ip('::1') == ip('0:0:0:0:0:0:0:1')", true],
      ["ip('0.0.0.1') == ip('::1')", false],
      ["type(ip('192.168.0.1')) == net.IP", true],
      ["isIP('192.168.0.1') && isIP('2001:db8::68')", true],
      ["isIP('192.168.0.1.0') || isIP('2001:db8:::68') || isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", false],
      ["ip.isCanonical('127.0.0.1') && ip.isCanonical('2001:db8::68')", true],
      ["ip.isCanonical('2001:DB8::68')", false],
      ["[ip('192.168.0.1').family(), ip('2001:db8::68').family()] == [4, 6]", true],
      ["ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified()", true],
      ["ip('127.0.0.1').isUnspecified() || ip('::1').isUnspecified()", false],
      ["ip('127.0.0.1').isLoopback() && ip('::1').isLoopback()", true],
      ["ip('1.2.3.4').isLoopback() || ip('2001:db8::abcd').isLoopback()", false],
      ["ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()", true],
      ["ip('224.0.1.1').isLinkLocalMulticast() || ip('fd00::1').isLinkLocalMulticast()", false],
      ["ip('169.254.169.254').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()", true],
      ["ip('192.168.0.1').isLinkLocalUnicast() || ip('fd80::1').isLinkLocalUnicast()", false],
      ["ip('192.168.0.1').isGlobalUnicast() && ip('2001:db8::abcd').isGlobalUnicast()", true],
      ["ip('255.255.255.255').isGlobalUnicast() || ip('ff00::1').isGlobalUnicast()", false]
    ]))

  it("that are invalid fail with Go's messages", () => {
    const faults = [
      ["192.168.0.1.0", "IPv4 address too long"],
      ["1.2.3", "IPv4 address too short"],
      ["1.2.3.256", "IPv4 field has value >255"],
      ["1.02.3.4", "IPv4 field has octet with leading zero"],
      ["1..3.4", 'IPv4 field must have at least one digit (at ".3.4")'],
      ["1.2.x.4", 'unexpected character (at "x.4")'],
      ["2001:db8:::68", 'each colon-separated field must have at least one digit (at ":68")'],
      ["1:2:3:4:5:6:7", "address string too short"],
      ["1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'],
      ["1::2::3", 'multiple :: in address (at ":3")'],
      ["1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"],
      ["12345::", 'each group must have 4 or less digits (at "12345::")'],
      ["1:", 'colon must be followed by more characters (at ":")'],
      ["1:2g", 'unexpected character, want colon (at "g")'],
      ["fe80::1%", "zone must be a non-empty string"],
      ["nothing", "unable to parse IP"]
    ] as const
    for (const [text, said] of faults) {
      const { value } = run(`ip('${text}')`)
      const start = `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): `
      assert.strictEqual(value instanceof CelError ? value.message : "none", start + said)
    }
    assertValues([
      ["ip('fe80::1%eth0')", /^IP address "fe80::1%eth0" with zone value is not allowed$/],
      ["ip('::ffff:1.2.3.4')", /^IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed$/]
    ])
    assert.match(fault("isIP(cidr('192.168.0.0/24'))"), /no matching overload for 'isIP' applied to '\(net.CIDR\)'/)
    assert.strictEqual(run("ip('::1') == null").value, false)
  })

  it("have Kubernetes' costs", () =>
    assertCosts([
      ["ip('192.168.0.1')", 2, 2],
      [`ip('${long}')`, 4, 4],
      [`ip('${long}').family()`, 5, 5],
      [`ip('${long}') == ip('192.168.0.1')`, 7, 7],
      ["ip.isCanonical('192.168.0.1')", 3, 3],
      [`ip.isCanonical('${long}')`, 8, 8],
      ["isIP('192.168.0.1')", 2, 2]
    ]))

  it("are parsed as CIDR blocks, which are compared and contain addresses", () =>
    assertValues([
      ["string(cidr('192.168.0.0/24'))", "192.168.0.0/24"],
      ["type(cidr('192.168.0.0/24')) == net.CIDR", true],
      ["isCIDR('10.0.0.0/8') && isCIDR('::/0')", true],
      ["isCIDR('10.0.0.0') || isCIDR('10.0.0.0/33') || isCIDR('10.0.0.0/08') || isCIDR('::ffff:1.2.3.4/120')", false],
      [
        "cidr('192.168.0.0/24').containsIP(ip('192.168.0.1')) && cidr('192.168.0.0/24').containsIP('192.168.0.1')",
        true
      ],
      [
        "cidr('192.168.0.0/24').containsIP(ip('192.168.1.1')) || cidr('192.168.0.0/24').containsIP('192.168.1.1')",
        false
      ],
      ["cidr('2001:db8::/32').containsIP('2001:db8::1')", true],
      ["cidr('2001:db8::/32').containsIP('2001:dc8::1') || cidr('::/0').containsIP('1.2.3.4')", false],
      ["cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/25'))", true],
      ["cidr('192.168.0.0/24').containsCIDR('192.168.0.1/32')", true],
      ["cidr('192.168.0.0/24').containsCIDR('192.168.0.0/23')", false],
      ["cidr('192.168.0.0/24').containsCIDR('192.169.0.1/32')", false],
      ["cidr('2001:db8::/32').containsCIDR(cidr('2001:db8::/33'))", true],
      ["cidr('2001:db8::/32').containsCIDR('2001:db8::/31')", false],
      ["cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", true],
      ["string(cidr('192.168.0.1/24').masked())", "192.168.0.0/24"],
      ["string(cidr('2001:db8:1::/32').masked())", "2001:db8::/32"],
      ["cidr('2001:db8::/32').prefixLength()", 32n],
      ["cidr('192.168.0.1/24') == cidr('192.168.0.0/24')", false],
      [
        "cidr('192.168.0.0/')",
        /^(network address parse error during conversion from string: ){2}netip.ParsePrefix\("192.168.0.0\/"\): bad bits after slash: ""$/
      ],
      ["cidr('10.0.0.0/8').containsIP('x')", /^no such overload$/]
    ]))

  it("in blocks have Kubernetes' costs", () =>
    assertCosts([
      ["cidr('192.168.0.0/16')", 2, 2],
      ["cidr('192.168.0.0/16').ip()", 3, 3],
      ["cidr('192.168.0.0/16') == cidr('2001:db8::/32')", 5, 5],
      ["cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/30'))", 11, 7],
      ["cidr('192.168.0.0/16').containsCIDR('192.0.0.0/30')", 11, 7],
      ["cidr('192.168.0.0/16').containsIP(ip('192.0.0.1'))", 7, 4],
      ["cidr('192.168.0.0/16').containsIP('192.169.0.1')", 8, 5],
      [`cidr('2001:db8::/32').containsIP('${long}')`, 10, 7]
    ]))
})

describe("versions", () => {
  it("are parsed and compared", () =>
    assertValues([
      ["semver('v1.0')", /^No Major.Minor.Patch elements found$/],
      ["semver('')", /^Version string empty$/],
      ["semver('1.0x.0')", /^Invalid character\(s\) found in minor number "0x"$/],
      ["semver('1.2.03')", /^Patch number must not contain leading zeroes "03"$/],
      ["semver('1.2.')", /^strconv.ParseUint: parsing "": invalid syntax$/],
      ["semver('1.2.99999999999999999999')", /value out of range$/],
      ["semver('1.2.3-01')", /^Numeric PreRelease version must not contain leading zeroes "01"$/],
      ["semver('1.2.3-a..b')", /^Prerelease is empty$/],
      ["semver('1.2.3+')", /^Build meta data is empty$/],
      ["semver('1-rc', true)", /^short version cannot contain PreRelease/],
      ["isSemver('1.2.3-beta.1+build.1')", true],
      ["['', 'v1.0.0', ' 1.0.0', '1. 0.0', '1.0.0 ', '01.01.01', '1', '1.1'].exists(v, isSemver(v))", false],
      ["['', ' 1.0.0', '1. 0.0', '1.0.0 '].exists(v, isSemver(v, true))", false],
      ["['v1.0.0', '01.01.01', '1', '1.1'].all(v, isSemver(v, true))", true],
      ["semver('v01.01', true) == semver('1.1.0')", true],
      ["semver('1.2.3+a') == semver('1.2.3+b')", true],
      ["semver('1.2.3') == semver('1.0.0')", false],
      ["semver('1.0.0').isLessThan(semver('1.2.3'))", true],
      ["semver('1.0.0').isLessThan(semver('1.0.0'))", false],
      ["semver('1.2.3').isGreaterThan(semver('1.0.0'))", true],
      ["semver('1.10.0').compareTo(semver('1.9.0'))", 1n],
      ["semver('1.0.0').compareTo(semver('1.2.3'))", -1n],
      ["semver('1.2.3').compareTo(semver('1.2.3'))", 0n],
      ["semver('1.0.0-2').isLessThan(semver('1.0.0-10')) && semver('1.0.0-10').isLessThan(semver('1.0.0-a'))", true],
      ["semver('1.0.0-a').isLessThan(semver('1.0.0-a.1')) && semver('1.0.0-a.1').isLessThan(semver('1.0.0'))", true],
      ["[semver('1.2.3').major(), semver('1.2.3').minor(), semver('1.2.3').patch()] == [1, 2, 3]", true],
      ["quantity('2').isGreaterThan(quantity('1')) && semver('2.0.0').isGreaterThan(semver('1.0.0'))", true]
    ]))

  it("are distinguished from quantities when a rule is written", () => {
    assert.match(fault("isSemver([1, 2, 3])"), /found no matching overload for 'isSemver' applied to/)
    assert.match(fault("semver('1.0.0').isLessThan(quantity('1'))"), /found no matching overload for 'isLessThan'/)
  })

  it("have Kubernetes' costs", () =>
    assertCosts([
      ["semver('1.0.0')", 1, 1],
      ["semver('1234.56789012345.67890123456789')", 4, 4],
      ["semver('1.2.3').major()", 2, 2],
      ["semver('1.0.0').isLessThan(semver('1.1.0'))", 3, 3],
      ["semver('1.0.0').compareTo(semver('1.2.3'))", 3, 3]
    ]))
})

describe("URLs", () => {
  const example = "url('https://me:pw@example.com:80/a%20b/c?k=a&k=b&x=1%202&bad=%zz#part')"

  it("are parsed as Go parses them, and taken apart", () =>
    assertValues([
      [`${example}.getScheme()`, "https"],
      [`${example}.getHost()`, "example.com:80"],
      [`${example}.getHostname()`, "example.com"],
      [`${example}.getPort()`, "80"],
      [`${example}.getEscapedPath()`, "/a%20b/c"],
      [`${example}.getQuery() == {'k': ['a', 'b'], 'x': ['1 2']}`, true],
      ["url('https://[::1]:8443/').getHostname()", "::1"],
      ["url('https://[::1]:8443/').getPort()", "8443"],
      ["url('https://[::1]/').getPort()", ""],
      ["url('https://example.com/with space').getEscapedPath()", "/with%20space"],
      ["url('/path').getEscapedPath() + url('/path').getHost()", "/path"],
      ["url('HTTPS://example.com') == url('https://example.com')", true],
      ["url('https://example.com') == url('https://example.com/')", false],
      ["['https://example.com:80/', '/absolute', 'mailto:me', 'https:://kubernetes.io/', '*'].all(u, isURL(u))", true],
      [
        "['', 'relative', '../x', ':x', 'https://a b/', 'https://a:port/', 'https://a/%zz', 'https://[::1/'].exists(u, isURL(u))",
        false
      ],
      ["url('relative')", /^URL parse error during conversion from string: parse "relative": invalid URI for request$/],
      ["url('')", /: parse "": empty url$/],
      ["url(':x')", /missing protocol scheme$/],
      ["url('https://a b/')", /invalid character " " in host name$/],
      ["url('https://a:port/')", /invalid port ":port" after host$/],
      ["url('https://a/%zz')", /invalid URL escape "%zz"$/],
      ["url('https://[::1/')", /missing '\]' in host$/]
    ]))

  it("have Kubernetes' costs", () =>
    assertCosts([
      ["url('https:://kubernetes.io/').getScheme()", 4, 4],
      ["url('https:://kubernetes.io/').getPort()", 4, 4],
      ["url('https:://kubernetes.io/') == url('https:://kubernetes.io/')", 9, 7],
      ["url('https:://kubernetes.io/') == url('http://x.b')", 5, 5]
    ]))
})

describe("named formats", () => {
  const label =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

  it("accept valid texts, and report errors of others", () => {
    const good = [
      ["dns1123Label", "my-label-name"],
      ["dns1123Subdomain", "apiextensions.k8s.io"],
      ["dns1035Label", "my-label-name"],
      ["qualifiedName", "apiextensions.k8s.io/v1beta1"],
      ["dns1123LabelPrefix", "my-label-prefix-"],
      ["dns1123SubdomainPrefix", "mysubdomain.prefix.-"],
      ["dns1035LabelPrefix", "my-label-prefix-"],
      ["labelValue", "my-cool-label-Value"],
      ["uri", "http://example.com"],
      ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
      ["byte", "aGVsbG8="],
      ["date", "2024-02-29"],
      ["datetime", "2021-01-01T00:00:00Z"]
    ] as const
    assertValues(good.map(([name, text]) => [`format.${name}().validate('${text}').hasValue()`, false]))
    const bad = [
      ["dns1123Label", "contains a space", label],
      ["dns1123LabelPrefix", "contains a space-", label],
      ["uri", "relative", 'parse "relative": invalid URI for request'],
      ["uuid", "123", "does not match the UUID format"],
      ["byte", "aGVsbG8", "invalid base64"],
      ["date", "2020-01-32", "invalid date"],
      ["date", "2023-02-29", "invalid date"],
      ["datetime", "2020-01-32T00:00:00Z", "invalid datetime"],
      ["datetime", "2020-01-01T24:00:00Z", "invalid datetime"]
    ] as const
    assertValues(bad.map(([name, text, said]) => [`format.${name}().validate('${text}').value()[0]`, said]))
    assertValues([
      ["format.named('unknown').hasValue()", false],
      ["format.named('dns1123Label').value() == format.dns1123Label()", true],
      ["format.named('dns1123Label').value() == format.dns1035Label()", false]
    ])
  })

  it("have Kubernetes' costs", () =>
    assertCosts([
      ["format.named('dns1123subdomain')", 1, 1],
      ["format.named('dns1123Subdomain').value().validate('my-name')", 34, 17],
      ["format.named('dns1123Label').value().validate('my-name')", 34, 10],
      ["format.named('dns1123Label').value() == format.named('dns1123Label').value()", 11, 5]
    ]))
})
