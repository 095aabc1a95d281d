// Arguments for any tool, from the schema that it lists: every property with every kind of value.

const typeOf = (schema) => (Array.isArray(schema.type) ? schema.type.find((t) => t !== 'null') : schema.type) ?? (schema.anyOf ?? schema.oneOf)?.map(typeOf).find(Boolean);

/** paths: for properties that name files; words: for other texts; places: paths for pairs; each depends on whether the tool writes. */
export const argumentsFrom = ({ paths, words, places }) => {
  const valuesOf = (name, schema, writes) => {
    if (schema.enum) return schema.enum;
    switch (typeOf(schema)) {
      case 'boolean': return [true, false];
      case 'integer': case 'number': return [1, 3];
      case 'array': return valuesOf(name, schema.items ?? { type: 'string' }, writes).map((value) => [value]);
      case 'object': {
        const inner = Object.entries(schema.properties ?? {});
        return inner.length ? [Object.fromEntries(inner.map(([key, one]) => [key, valuesOf(key, one, writes)[0]]))] : [{ a: 1 }];
      }
      default: return /path|file|folder|note|dir|^from|^to$|name|uri|id$|source|target/i.test(name) ? paths(writes) : words(writes);
    }
  };
  /** Every value of every property, with a first value for the others that are required; and pairs with a path. */
  return (schema, writes) => {
    const properties = Object.entries(schema.properties ?? {}), needed = new Set(schema.required ?? []);
    const base = Object.fromEntries(properties.filter(([name]) => needed.has(name)).map(([name, one]) => [name, valuesOf(name, one, writes)[0]]));
    const all = [base];
    const place = properties.find(([name]) => /^(path|file|filepath|filename|note|from|folder|directory)/i.test(name));
    for (const [name, one] of properties)
      for (const value of valuesOf(name, one, writes)) {
        all.push({ ...base, [name]: value });
        if (place && place[0] !== name) for (const at of places(writes)) all.push({ ...base, [place[0]]: at, [name]: value });
      }
    return all;
  };
};
