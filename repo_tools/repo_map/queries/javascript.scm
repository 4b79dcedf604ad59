(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(assignment_expression left: (identifier) @name right: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @name) @constant)))
(field_definition property: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @method
(class name: (identifier) @name) @class
(assignment_expression left: (_) @of right: (function_expression name: (identifier) @name) (#eq? @of "module.exports")) @function
(variable_declarator name: (identifier) @name value: (call_expression function: (_) @of) (#match? @of "^(React\\.)?(memo|forwardRef)$")) @function
