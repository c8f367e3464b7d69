// A map with a `toString` that is no function cannot become a number or a text: it throws. Users
// send such maps, so values of type Json go through numberFrom and textFrom of
// src/model/json-text.ts.

const coercions = new Map([
  ['Number', 'numberFrom'],
  ['String', 'textFrom'],
]);

export const noJsonCoercion = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { throws: 'This throws for some maps that users send: use {{instead}}.' },
  },
  create(context) {
    const { getTypeAtLocation } = context.sourceCode.parserServices;
    const isUnsafe = (node) => mayBeMap(getTypeAtLocation(node));
    const report = (node, instead) =>
      context.report({ node, messageId: 'throws', data: { instead } });
    return {
      CallExpression(node) {
        const { callee, arguments: given } = node;
        const instead = callee.type === 'Identifier' ? coercions.get(callee.name) : undefined;
        if (instead !== undefined && given.length > 0 && isUnsafe(given[0])) report(node, instead);
        if (callee.property?.name === 'join' && isListOfUnsafe(getTypeAtLocation(callee.object))) {
          report(node, 'map(textFrom)');
        }
      },
      TemplateLiteral(node) {
        if (node.parent.type === 'TaggedTemplateExpression') return;
        for (const part of node.expressions) if (isUnsafe(part)) report(part, 'textFrom');
      },
      'BinaryExpression[operator="+"]'({ left, right }) {
        for (const side of [left, right]) if (isUnsafe(side)) report(side, 'textFrom');
      },
    };
  },
};

/** Types whose maps come from JSON have an index signature of texts. */
function mayBeMap(type) {
  if (type.isUnion()) return type.types.some(mayBeMap);
  return isMap(type) || isListOfUnsafe(type);
}

function isListOfUnsafe(type) {
  const element = type.getNumberIndexType();
  if (element === undefined || isMap(type)) return false;
  return (element.isUnion() ? element.types : [element]).some(isMap);
}

/** Not into lists: a value of JSON holds lists of its like. */
function isMap(type) {
  return type.getStringIndexType() !== undefined;
}
