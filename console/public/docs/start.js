// Links of error answers end in #type: the errors are told in the description at the top.
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false })
