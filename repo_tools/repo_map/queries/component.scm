(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (call_expression)) @constant))
