// A peer on the npm packages that read and write ROS 2 messages in browsers. It reads a JSON array
// from standard input, of objects with
//
//   format    "ros2msg" or "ros2idl", of the definition
//   text      definition of a message and of all that it contains, with the line between them that
//             the packages know
//   payloads  serialized messages, in base64
//   fields    messages as arrays of words, one for each field, see Fields in fields.go
//
// and prints an array with an object for each: read, the payloads as arrays of words, and written,
// the fields as payloads. Each element is {"value": ...} or, where a package throws, {"error": "..."}.
// Where a definition is what a package cannot take, the object has only an error.
"use strict";

const fs = require("fs");
const { parse } = require("@foxglove/rosmsg");
const { parseRos2idl } = require("@foxglove/ros2idl-parser");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");

const parsers = { ros2msg: (text) => parse(text, { ros2: true }), ros2idl: parseRos2idl };

// Bits of floating point numbers, as digits and back.
const bits = new DataView(new ArrayBuffer(8));

function hex(value, digits) {
  return value.toString(16).padStart(digits, "0");
}

// print and parse convert a value of a kind to a word and back.
const integer = { print: String, parse: Number };
const long = { print: String, parse: BigInt };
const kinds = {
  bool: { print: (v) => (v ? "1" : "0"), parse: (w) => w === "1" },
  int8: integer, uint8: integer, int16: integer, uint16: integer, int32: integer, uint32: integer,
  int64: long, uint64: long,
  float32: {
    print: (v) => { bits.setFloat32(0, v); return hex(bits.getUint32(0), 8); },
    parse: (w) => { bits.setUint32(0, parseInt(w, 16)); return bits.getFloat32(0); },
  },
  float64: {
    print: (v) => { bits.setFloat64(0, v); return hex(bits.getBigUint64(0), 16); },
    parse: (w) => { bits.setBigUint64(0, BigInt("0x" + w)); return bits.getFloat64(0); },
  },
  string: {
    print: (v) => "s" + Buffer.from(v).toString("hex"),
    parse: (w) => Buffer.from(w.slice(1), "hex").toString(),
  },
  wstring: {
    print: (v) => "w" + Array.from(v, (_, i) => hex(v.charCodeAt(i), 4)).join(""),
    parse: (w) => String.fromCharCode(...(w.slice(1).match(/.{4}/g) ?? []).map((digits) => parseInt(digits, 16))),
  },
};

const time = [{ name: "sec", type: "int32" }, { name: "nanosec", type: "uint32" }];
const times = { time, duration: time };

// A type is what a package made of a definition: its fields, and the types by their names.
class Type {
  constructor(definitions) {
    this.names = new Map(definitions.map((d) => [d.name ?? "", d.definitions]));
    // The root is the first that is more than a module of constants, as it is for the packages.
    const root = definitions.find((d) => d.definitions.length === 0 || d.definitions.some((f) => !f.isConstant));
    this.root = root === undefined ? [] : root.definitions;
  }

  // nested returns the definition of a field's type, undefined for a primitive one. In .msg files
  // the packages take times for primitive.
  nested(f) {
    return f.isComplex ? this.names.get(f.type) : times[f.type];
  }

  fields(definition) {
    return definition.filter((f) => !f.isConstant && f.name !== "structure_needs_at_least_one_member");
  }

  // print appends the words of a message.
  print(words, message, definition = this.root) {
    for (const f of this.fields(definition)) {
      const value = message[f.name];
      if (!f.isArray) {
        this.printElement(words, value, f);
        continue;
      }
      if (f.arrayLength === undefined) {
        words.push("[" + value.length);
      }
      for (const element of value) {
        this.printElement(words, element, f);
      }
    }
    return words;
  }

  printElement(words, value, f) {
    const nested = this.nested(f);
    if (nested) {
      this.print(words, value, nested);
    } else {
      words.push(kinds[f.type].print(value));
    }
  }

  // parse takes the words of a message from the front.
  parse(words, definition = this.root) {
    const message = {};
    for (const f of this.fields(definition)) {
      if (!f.isArray) {
        message[f.name] = this.parseElement(words, f);
        continue;
      }
      const length = f.arrayLength ?? Number(words.shift().slice(1));
      message[f.name] = Array.from({ length }, () => this.parseElement(words, f));
    }
    return message;
  }

  parseElement(words, f) {
    const nested = this.nested(f);
    return nested ? this.parse(words, nested) : kinds[f.type].parse(words.shift());
  }
}

// attempt returns what f returns, or the error that it throws.
function attempt(f) {
  try {
    return { value: f() };
  } catch (e) {
    return { error: e.message };
  }
}

function convert({ format, text, payloads, fields }) {
  const definitions = parsers[format](text);
  const type = new Type(definitions);
  const reader = new MessageReader(definitions);
  const writer = new MessageWriter(definitions);
  return {
    read: (payloads ?? []).map((p) => attempt(() => type.print([], reader.readMessage(Buffer.from(p, "base64"))))),
    written: (fields ?? []).map((f) => attempt(() => Buffer.from(writer.writeMessage(type.parse([...f]))).toString("base64"))),
  };
}

const jobs = JSON.parse(fs.readFileSync(0, "utf8"));
const done = jobs.map((job) => attempt(() => convert(job))).map(({ value, error }) => value ?? { error });
process.stdout.write(JSON.stringify(done));
